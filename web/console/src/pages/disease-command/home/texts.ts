import { countOf } from "#platform/contract/language.ts";
import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  uploaded: ["最近一次发热门诊上报", "Latest fever-clinic figures"],
  never: ["还没有上报", "Nothing yet"],
  hospitals: (count: string) => [`${count} 家医院`, countOf(count, "hospital")],
  patients: ["发热门诊人数", "Fever patients"],
  epidemic: ["有流行病学史", "With epidemiological history"],
  persons: ["人", ""],
  dayBefore: (count: string) => [`前一日 ${count} 人`, `${count} the day before`],
  noDayBefore: ["前一日没有上报", "none reported the day before"],
});
