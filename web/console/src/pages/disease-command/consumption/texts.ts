import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    title: "消费分类统计",
    about: "六个分类固定，只修改金额。",
    one: "消费金额",
    categoryName: "分类",
    value: "消费金额（万元）",
    unit: "万元",
    share: "占比",
    total: (value: string) => `合计 ${value} 万元`,
    empty: "没有消费分类",
  },
  {
    title: "Consumption",
    about: "The six categories are fixed; only their amounts can be changed.",
    one: "amount",
    categoryName: "Category",
    value: "Consumption (¥10k)",
    unit: "¥10k",
    share: "Share",
    total: (value: string) => `Total ${value} (in ¥10k)`,
    empty: "No categories",
  },
);
