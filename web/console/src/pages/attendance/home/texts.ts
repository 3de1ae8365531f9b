import { countOf } from "#platform/contract/language.ts";
import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  latest: ["最近一个月", "Latest month"],
  analysed: (time: string) => [`${time} 分析`, `analysed ${time}`],
  notAnalysed: ["尚未分析", "not analysed yet"],
  running: ["分析中", "analysing"],
  empty: ["还没有导入", "Nothing imported yet"],
  employees: (count: string) => [`${count} 人`, countOf(count, "employee")],
});
