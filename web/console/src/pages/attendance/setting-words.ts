/** What each of its settings means, in Chinese; the server has the English. */
export const settingWords: Readonly<Record<string, string>> = {
  ATTENDANCE_KEEP_CARD_DAYS: "月份结束后其考勤中身份证号保留的天数；不设则永久保留，已锁定的月份始终保留",
  ATTENDANCE_KEEP_DAYS: "从未锁定的月份在结束后保留的天数；不设则永久保留",
};
