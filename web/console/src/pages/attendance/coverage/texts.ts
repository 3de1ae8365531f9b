import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    title: "已有日期",
    about: "每张表含哪些日期；分多次导出的文件导入后会合在一起",
    sheets: { month: "月度汇总", daily: "每日统计", original: "原始记录" },
    said: (label: string, text: string) => `${label}：${text}`,
    run: (from: string, to: string) => (from === to ? from : `${from} 至 ${to}`),
    whole: "全月",
    nothing: "没有",
    lacking: (days: string) => `缺 ${days}`,
  },
  {
    title: "Days covered",
    about: "Which days each sheet has; files of parts of the month add up",
    sheets: { month: "Monthly summary", daily: "Daily statistics", original: "Raw punches" },
    said: (label: string, text: string) => `${label}: ${text}`,
    run: (from: string, to: string) => (from === to ? from : `${from} to ${to}`),
    whole: "the whole month",
    nothing: "none",
    lacking: (days: string) => `missing ${days}`,
  },
);
