import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["已有日期", "Days covered"],
  sheets: {
    month: ["月度汇总", "Monthly summary"],
    daily: ["每日统计", "Daily statistics"],
    original: ["原始记录", "Raw punches"],
  },
  run: (from: string, to: string) => [from === to ? from : `${from} 至 ${to}`, from === to ? from : `${from} to ${to}`],
  whole: ["全月", "the whole month"],
  nothing: ["没有", "none"],
  lacking: (days: string) => [`缺 ${days}`, `missing ${days}`],
});
