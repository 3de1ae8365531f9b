import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  today: ["今日报备", "Reports today"],
  yesterday: (count: string) => [`昨日 ${count} 条`, `${count} yesterday`],
  open: ["进行中", "In progress"],
  unit: ["条", ""],
});
