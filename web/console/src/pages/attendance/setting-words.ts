export const settingWords: Readonly<Record<string, string>> = {
  EMPLOYEE_IDENTITY:
    "如何确认员工的 employee_no：header（由前置网关写入）、signed（employee_time 与 employee_sign）、campus（employee_token）或 demo（不确认，仅限 HOST 为本机地址且没有代理时）；off：不对员工开放",
  EMPLOYEE_IDENTITY_SECRET: "EMPLOYEE_IDENTITY=signed 时与签名方共用的密钥",
  ATTENDANCE_PERIOD_START:
    "考勤周期的起始日：1 为自然月，否则自上月该日起、至当月该日前一天止（26：4 月 26 日至 5 月 25 日为 2026-05）",
  ATTENDANCE_KEEP_CARD_DAYS: "月份结束后其考勤中身份证号保留的天数；不设则永久保留，已锁定的月份始终保留",
  ATTENDANCE_KEEP_DAYS: "从未锁定的月份在结束后保留的天数；不设则永久保留",
};
