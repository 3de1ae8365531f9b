import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    today: "今日报备",
    toJudge: "待判定",
    open: "进行中",
    all: "全部报备",
    unit: "条",
  },
  {
    today: "Reports today",
    toJudge: "To judge",
    open: "In progress",
    all: "All reports",
    unit: "",
  },
);
