import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  today: ["今日报备", "Reports today"],
  toJudge: ["待判定", "To judge"],
  open: ["进行中", "In progress"],
  all: ["全部报备", "All reports"],
  unit: ["条", ""],
});
