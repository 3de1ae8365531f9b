import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["月度总结", "Month summaries"],
  one: ["月度总结", "month summary"],
  summaryTitle: ["标题", "Title"],
  month: ["月份", "Month"],
  monthHelp: ["每月一篇；不填写则为本月", "One per month; this month if left empty"],
  publishTime: ["发布时间", "Published"],
  publishTimeHelp: ["不填写则为当前时间", "Now if left empty"],
  images: ["图片", "Images"],
  content: ["总结内容", "Content"],
  empty: ["还没有月度总结", "No month summaries yet"],
  emptyAbout: [
    "每月一篇，最近 12 个月的总结会显示在大屏上。",
    "One per month; the latest 12 months appear on the big screen.",
  ],
});
