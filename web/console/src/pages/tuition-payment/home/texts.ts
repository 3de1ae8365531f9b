import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  unpaid: ["未缴", "Unpaid"],
  paid: ["已缴", "Paid"],
  overdue: ["已逾期", "Overdue"],
  unit: ["笔", ""],
  share: (percent: string) => [`已缴 ${percent}`, `${percent} paid`],
  today: ["今日已支付", "Paid today"],
  yesterday: (count: string) => [`昨日入账 ${count} 笔`, `${count} booked yesterday`],
  open: ["待支付的订单", "Orders to be paid"],
  refunds: ["退款中的订单", "Orders being refunded"],
});
