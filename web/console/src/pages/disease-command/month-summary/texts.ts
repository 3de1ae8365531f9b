import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    title: "月度总结",
    one: "月度总结",
    summaryTitle: "标题",
    month: "月份",
    monthHelp: "每月一篇；不填写则为本月",
    publishTime: "发布时间",
    publishTimeHelp: "不填写则为当前时间",
    images: "图片",
    content: "总结内容",
    empty: "还没有月度总结",
    emptyAbout: "每月一篇，最近 12 个月的总结会显示在大屏上。",
  },
  {
    title: "Month summaries",
    one: "month summary",
    summaryTitle: "Title",
    month: "Month",
    monthHelp: "One per month; this month if left empty",
    publishTime: "Published",
    publishTimeHelp: "Now if left empty",
    images: "Images",
    content: "Content",
    empty: "No month summaries yet",
    emptyAbout: "One per month; the latest 12 months appear on the big screen.",
  },
);
