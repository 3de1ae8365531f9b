import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  unreachable: ["无法连接到服务器，请检查网络后重试", "The server cannot be reached. Check your network and try again"],
  notOurs: (status: number) => [
    `服务器返回了无法识别的内容（HTTP ${status}），请稍后重试或联系操作员`,
    `The server sent something unexpected (HTTP ${status}). Try again later, or contact an operator`,
  ],
  retryAfter: (seconds: number) => [`请在 ${seconds} 秒后重试`, `Try again in ${seconds} s`],
  stop: ["。", ". "],
  advice: {
    "10000": [
      "请稍后重试；若持续出现，请将出错时间告知操作员",
      "Try again later. If the error persists, tell an operator when it occurred",
    ],
    "10005": ["该记录可能已被他人删除，请刷新列表", "Somebody may have deleted the record. Refresh the list"],
    "10008": ["如需此权限，请联系超级管理员", "Ask a super administrator for this permission"],
  },
});
