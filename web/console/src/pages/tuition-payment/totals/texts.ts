import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  totals: ["收缴统计", "Totals"],
  totalsAbout: ["各年级、各收费年度的应缴与已缴，金额单位为元", "Due and paid by grade and charging year, in yuan"],
  grade: ["年级", "Grade"],
  years: ["收费年度", "Charging year"],
  yearsHelp: ["如 2026", "For example 2026"],
  paidPayables: ["已缴 / 应缴笔数", "Payables paid"],
  dueAmount: ["应缴", "Due"],
  orderAmount: ["订单已付", "Paid by orders"],
  decidedAmount: ["登记已缴", "Recorded as paid"],
  leftAmount: ["未缴", "Outstanding"],
  share: ["收缴率", "Paid share"],
  orderAbout: ["扣除退款", "less refunds"],
  decidedAbout: ["由管理员登记", "by administrators"],
  ofPayables: (paid: string, all: string) => [`${all} 笔中已缴 ${paid} 笔`, `${paid} of ${all} payables paid`],
  noTotals: ["还没有缴费信息", "No payables yet"],
  noTotalsAbout: [
    "导入或新建缴费信息后，这里按年级与收费年度统计。",
    "Totals appear here by grade and charging year once payables are imported or added.",
  ],
  toPayables: ["去导入缴费信息", "Import payables"],
  actions: ["操作", "Actions"],
  unpaid: ["查看未缴", "View unpaid"],
  unpaidOf: (grade: string, years: string) => [
    `查看未缴：${grade} 年级 ${years} 年度`,
    `View unpaid payables of grade ${grade}, ${years}`,
  ],
});
