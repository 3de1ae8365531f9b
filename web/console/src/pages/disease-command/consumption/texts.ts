import { defineTexts } from "#console/language/language.ts";

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
    about: "The six categories stay; their figures change.",
    one: "figure",
    categoryName: "Category",
    value: "Consumption (10k yuan)",
    unit: "10k yuan",
    share: "Share",
    total: (value: string) => `${value} in all, in units of 10,000 yuan`,
    empty: "No categories",
  },
);
