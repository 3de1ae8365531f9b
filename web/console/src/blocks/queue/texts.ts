import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  left: (count: string) => [`待处理 ${count} 条`, `${count} waiting`],
  keys: ["J 下一条　K 上一条　Z 撤销", "J next · K previous · Z undo"],
  previous: ["上一条", "Previous"],
  next: ["下一条", "Next"],
  undo: ["撤销", "Undo"],
  notSaved: (said: string, why: string) => [`${said}，未能保存：${why}`, `${said}. This was not saved: ${why}`],
  why: (verdict: string) => [`${verdict}的原因`, `Reason: ${verdict.toLowerCase()}`],
  ownWords: ["自行填写（回车提交）", "Another reason (press Enter to submit)"],
  write: ["自行填写", "Other reason"],
  withoutReason: ["不填原因", "No reason"],
  cancel: ["取消", "Cancel"],
});
