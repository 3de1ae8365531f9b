import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  unpaid: ["未缴", "Unpaid"],
  paid: ["已缴", "Paid"],
  overdue: ["已逾期", "Overdue"],
  feedback: ["待处理的反馈", "Unprocessed feedback"],
  unit: ["笔", ""],
  feedbackUnit: ["条", ""],
  share: (percent: string) => [`已缴 ${percent}`, `${percent} paid`],
  today: ["今日已支付", "Paid today"],
  open: ["待支付的订单", "Orders to be paid"],
  refunds: ["退款中的订单", "Orders being refunded"],
  desk: ["待处理款项", "Payment exceptions"],
});
