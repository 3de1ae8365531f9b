import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["消费分类统计", "Consumption"],
  about: ["六个分类固定，只修改金额。", "The six categories are fixed; only their amounts can be changed."],
  one: ["消费金额", "amount"],
  categoryName: ["分类", "Category"],
  value: ["消费金额（万元）", "Consumption (¥10k)"],
  unit: ["万元", "¥10k"],
  share: ["占比", "Share"],
  total: (value: string) => [`合计 ${value} 万元`, `Total ${value} (in ¥10k)`],
  empty: ["没有消费分类", "No categories"],
});
