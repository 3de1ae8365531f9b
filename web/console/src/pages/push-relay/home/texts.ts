import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    pending: "待投递",
    dead: "投递失败",
    perMinute: "每分钟投递",
    lastMinute: "上一分钟",
    flagged: "持续失败的项目",
    unit: "条",
    projects: "个",
  },
  {
    pending: "Pending",
    dead: "Failed",
    perMinute: "Delivered per minute",
    lastMinute: "in the last minute",
    flagged: "Projects that keep failing",
    unit: "",
    projects: "",
  },
);
