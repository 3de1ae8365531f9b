import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    about: "一个月与另一个月、或与它锁定时的版本，逐人对比",
    needsAnother: "还没有可对比的：至少要有两个已分析的月份，或一个锁定过的月份",
    months: "其他月份",
    versions: "本月的版本",
    version: (number: number, time: string, note: string) =>
      note === "" ? `第 ${number} 版（${time}）` : `第 ${number} 版（${time}，${note}）`,
    versionShort: (number: number) => `第 ${number} 版`,
    notFinished: (month: string) => `${month} 还没有分析完成，分析后才能对比`,
    onlyChangedPeople: (count: string) => `${count} 人有变化`,
    nobodyChanged: "没有人有变化",
    changes: "变化的项目",
    days: "每日结果",
    download: "导出对比",
  },
  {
    about: "A month beside another, or beside a version of its own, person by person",
    needsAnother: "Nothing to compare yet: there must be two analysed months, or one that has been locked",
    months: "Other months",
    versions: "Versions of the month",
    version: (number: number, time: string, note: string) =>
      note === "" ? `Version ${number} (${time})` : `Version ${number} (${time}, ${note})`,
    versionShort: (number: number) => `Version ${number}`,
    notFinished: (month: string) => `${month} must be analysed before it can be compared`,
    onlyChangedPeople: (count: string) => `${count} people differ`,
    nobodyChanged: "Nobody differs",
    changes: "What differs",
    days: "Daily results",
    download: "Export comparison",
  },
);
