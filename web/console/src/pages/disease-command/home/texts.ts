import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    uploaded: "最近一次发热门诊上报",
    never: "还没有上报",
    hospitals: (count: string) => `${count} 家医院`,
    patients: "发热门诊人数",
    epidemic: "有流行病学史",
    persons: "人",
    of: (day: string) => `${day} 合计`,
  },
  {
    uploaded: "Latest fever-clinic figures",
    never: "Nothing yet",
    hospitals: (count: string) => `${count} hospitals`,
    patients: "Fever patients",
    epidemic: "With epidemiological history",
    persons: "",
    of: (day: string) => `total for ${day}`,
  },
);
