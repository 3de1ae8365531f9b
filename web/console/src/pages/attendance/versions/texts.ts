import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  none: [
    "还没有版本：锁定月份时，当时的结果会留作一个版本",
    "No versions yet: when a month is locked, its results are kept as one",
  ],
  version: ["版本", "Version"],
  number: (number: number) => [`第 ${number} 版`, `Version ${number}`],
  current: ["锁定中", "Locked now"],
  note: ["说明", "Note"],
  employees: ["员工", "Employees"],
  lockTime: ["锁定时间", "Locked at"],
  lockedBy: ["锁定人", "Locked by"],
  unlockTime: ["解锁时间", "Unlocked at"],
  unlockedBy: ["解锁人", "Unlocked by"],
  reason: ["解锁原因", "Reason of unlocking"],
  open: ["查看", "Open"],
  openNamed: (number: number) => [`查看第 ${number} 版`, `Open version ${number}`],
  download: ["下载 Excel", "Download Excel"],
  downloadNamed: (number: number) => [`下载 Excel：第 ${number} 版`, `Download Excel: version ${number}`],
  compare: ["与现在对比", "Compare with now"],
  compareNamed: (number: number) => [`第 ${number} 版与现在对比`, `Compare with now: version ${number}`],
  basis: ["数字的依据", "What its figures rest on"],
  detailTitle: (month: string, number: number) => [`${month} 第 ${number} 版`, `${month}, version ${number}`],
});
