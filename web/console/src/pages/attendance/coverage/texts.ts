import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["已有日期", "Days covered"],
  about: [
    "每张表含哪些日期；分多次导出的文件导入后会合在一起",
    "Which days each sheet has; files of parts of the month add up",
  ],
  sheets: {
    month: ["月度汇总", "Monthly summary"],
    daily: ["每日统计", "Daily statistics"],
    original: ["原始记录", "Raw punches"],
  },
  said: (label: string, text: string) => [`${label}：${text}`, `${label}: ${text}`],
  run: (from: string, to: string) => [from === to ? from : `${from} 至 ${to}`, from === to ? from : `${from} to ${to}`],
  whole: ["全月", "the whole month"],
  nothing: ["没有", "none"],
  lacking: (days: string) => [`缺 ${days}`, `missing ${days}`],
});
