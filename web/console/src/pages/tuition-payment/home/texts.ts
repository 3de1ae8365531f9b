import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    unpaid: "未缴",
    paid: "已缴",
    feedback: "待处理的反馈",
    unit: "笔",
    feedbackUnit: "条",
    share: (percent: string) => `已缴 ${percent}`,
    today: "今日已支付",
    open: "待支付的订单",
    refunds: "退款中的订单",
    differences: "待处理的对账差异",
    mismatched: "付款金额不符的订单",
    differenceUnit: "行",
  },
  {
    unpaid: "Unpaid",
    paid: "Paid",
    feedback: "Unprocessed feedback",
    unit: "",
    feedbackUnit: "",
    share: (percent: string) => `${percent} paid`,
    today: "Paid today",
    open: "Orders to be paid",
    refunds: "Orders being refunded",
    differences: "Unprocessed differences",
    mismatched: "Paid in another amount",
    differenceUnit: "",
  },
);
