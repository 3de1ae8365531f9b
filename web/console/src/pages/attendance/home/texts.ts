import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    waiting: "待分析的月份",
    none: "没有",
    failed: "分析失败的月份",
    latest: "最近一个月",
    analysed: (time: string) => `${time} 分析`,
    notAnalysed: "尚未分析",
    running: "分析中",
    empty: "还没有导入",
    employees: (count: string) => `${count} 人`,
    unit: "个月",
  },
  {
    waiting: "Months to analyse",
    none: "None",
    failed: "Months whose analysis failed",
    latest: "Latest month",
    analysed: (time: string) => `analysed ${time}`,
    notAnalysed: "not analysed yet",
    running: "analysing",
    empty: "Nothing imported yet",
    employees: (count: string) => `${count} employees`,
    unit: "",
  },
);
