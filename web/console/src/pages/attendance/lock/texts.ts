import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  lock: ["锁定", "Lock"],
  unlock: ["解锁", "Unlock"],
  locked: ["已锁定", "Locked"],
  lockedAt: (number: number) => [`已锁定，第 ${number} 版`, `Locked, version ${number}`],
  lockTitle: (month: string) => [`锁定 ${month}`, `Lock ${month}`],
  lockAbout: [
    "月份核对无误后锁定：锁定期间不能再导入月度汇总、原始记录，不能重新分析或对应人员，数字不会再变。现在的结果会留作一个版本，以后可下载、可对比。需要修改时可以解锁，并写明原因。",
    "Lock a month once it has been checked: no monthly summary or raw punches can be imported, nothing analysed again, nobody matched, and no figure changes. The current results are kept as a version, to download and compare later. Unlocking it takes a reason.",
  ],
  note: ["说明", "Note"],
  notePlaceholder: ["如：人事处已核对，作为工资依据", "Such as: checked by HR, basis of the pay"],
  lockDone: (month: string) => [`${month} 已锁定`, `${month} is locked`],
  unlockTitle: (month: string) => [`解锁 ${month}`, `Unlock ${month}`],
  unlockAbout: [
    "解锁后可以重新导入、重新分析。锁定时的版本会保留。",
    "The month can be imported and analysed again then. The version of the lock is kept.",
  ],
  reason: ["原因", "Reason"],
  reasonPlaceholder: ["如：补交了 5 月 20 日的请假单", "Such as: a leave form of 20 May came late"],
  unlockDone: (month: string) => [`${month} 已解锁`, `${month} is unlocked`],
  bannerTitle: (month: string, number: number) => [
    `${month} 已锁定，数字以第 ${number} 版为准`,
    `${month} is locked; its figures are those of version ${number}`,
  ],
  lockedBy: (by: string, time: string) => [`${by} 于 ${time} 锁定`, `Locked by ${by} at ${time}`],
  noteIs: (note: string) => [`说明：${note}`, `Note: ${note}`],
  forbids: [
    "锁定期间不能导入月度汇总、原始记录，不能重新分析或对应人员；员工信息仍可导入。",
    "While it is locked, no monthly summary or raw punches can be imported, nothing analysed again and nobody matched; employee info can still be imported.",
  ],
  forbidsImport: (month: string) => [
    `${month} 已锁定，不能导入月度汇总和原始记录。请先到该月页面解锁。`,
    `${month} is locked: no monthly summary or raw punches can be imported. Unlock it on its page first.`,
  ],
  forbidsSettling: ["本月已锁定，解锁后才能对应人员。", "The month is locked; unlock it to match people."],
});
