import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  today: ["今日报备", "Reports today"],
  toJudge: ["待审核", "To review"],
  since: (time: string) => [`最早 ${time}`, `oldest ${time}`],
  nothing: ["没有待审核的报备", "nothing waits"],
  open: ["进行中", "In progress"],
  all: ["全部报备", "All reports"],
  unit: ["条", ""],
});
