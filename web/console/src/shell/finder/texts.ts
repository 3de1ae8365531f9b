import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  find: ["查找", "Find"],
  hint: ["报备、学生、订单、推送项目、考勤人员、页面……", "Reports, students, orders, projects, people, pages…"],
  more: ["输入两个字以上，查找报备、学生、订单等", "Type two characters or more to find records"],
  finding: ["正在查找……", "Searching…"],
  keys: ["↑ ↓ 选择，回车打开", "↑ ↓ to choose, Enter to open"],
  nothing: ["没有找到", "Nothing found"],
  cards: [
    "不能用身份证号查找，请输入姓名、学号或订单号",
    "You cannot search by identity card number. Enter a name, student number or order number.",
  ],
  failed: (kinds: string, why: string) => [`未能查找${kinds}：${why}`, `${kinds} could not be searched: ${why}`],
  retry: ["重试", "Retry"],
  pages: ["页面", "Pages"],
  actions: ["操作", "Actions"],
});
