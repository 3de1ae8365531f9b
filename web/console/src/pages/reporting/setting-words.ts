export const settingWords: Readonly<Record<string, string>> = {
  REPORTING_KEEP_DAYS: "已关闭或已删除的报备在最后一次变更后保留的天数，附件随之删除；不设则永久保留",
};
