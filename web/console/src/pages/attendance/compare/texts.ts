import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  about: [
    "一个月与另一个月、或与它锁定时的版本，逐人对比",
    "A month beside another, or beside a version of its own, person by person",
  ],
  needsAnother: [
    "还没有可对比的：至少要有两个已分析的月份，或一个锁定过的月份",
    "Nothing to compare yet: there must be two analysed months, or one that has been locked",
  ],
  months: ["其他月份", "Other months"],
  versions: ["本月的版本", "Versions of the month"],
  version: (number: number, time: string, note: string) => [
    note === "" ? `第 ${number} 版（${time}）` : `第 ${number} 版（${time}，${note}）`,
    note === "" ? `Version ${number} (${time})` : `Version ${number} (${time}, ${note})`,
  ],
  versionShort: (number: number) => [`第 ${number} 版`, `Version ${number}`],
  notFinished: (month: string) => [
    `${month} 还没有分析完成，分析后才能对比`,
    `${month} must be analysed before it can be compared`,
  ],
  onlyChangedPeople: (count: string) => [`${count} 人有变化`, `${count} people differ`],
  nobodyChanged: ["没有人有变化", "Nobody differs"],
  changes: ["变化的项目", "What differs"],
  days: ["每日结果", "Daily results"],
  download: ["导出对比", "Export comparison"],
});
