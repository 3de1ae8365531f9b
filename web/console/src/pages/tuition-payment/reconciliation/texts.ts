import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  reconciliation: ["对账", "Reconciliation"],
  reconciliationAbout: [
    "每天将前一日的订单与支付渠道的对账单比对，不一致的逐行处理",
    "Yesterday's orders are compared with the gateway's statement every day",
  ],
  date: ["对账日期", "Day"],
  gateway: ["支付渠道", "Gateway"],
  type: ["差异类型", "Difference"],
  types: {
    long: ["仅渠道有", "Only in the statement"],
    short: ["仅订单有", "Only in the orders"],
    mismatch: ["金额不一致", "Amounts differ"],
  },
  orderNo: ["订单号", "Order no."],
  orderNoHelp: ["完整的订单号", "The whole order no."],
  tradeNo: ["交易号", "Trade no."],
  ourAmount: ["订单（元）", "Order (yuan)"],
  theirAmount: ["对账单（元）", "Statement (yuan)"],
  none: ["无", "none"],
  refundLine: ["退款", "refund"],
  handled: ["处理状态", "Status"],
  handledStates: { false: ["待处理", "Unprocessed"], true: ["已处理", "Processed"] },
  note: ["处理意见", "Decision"],
  actions: ["操作", "Actions"],
  decide: ["处理", "Decide"],
  decideNamed: (orderNo: string) => [`处理订单 ${orderNo} 的差异`, `Decide about order ${orderNo}`],
  decideManyTitle: (count: number) => [`处理 ${count} 行差异`, `Decide about ${count} differences`],
  decideAbout: [
    "处理意见保存后不能修改，操作会记入审计日志。需要退款的，请在订单中退款。",
    "A decision cannot be changed once saved, and is kept in the audit log. To return money, refund the order.",
  ],
  advice: {
    long: [
      "支付渠道收到了款项，订单没有入账。请核对订单：可能是延迟到账，付款金额与订单不符，也可能不是本系统的交易。",
      "The gateway has received money that the order does not show. Check the order: it may have arrived late or in another amount, or not be a payment of this system.",
    ],
    short: [
      "订单已入账，对账单中没有这笔。可能记入次日的对账单，请先核对次日。",
      "The order is booked, but the statement does not have it. It may be in the next day's: check that first.",
    ],
    mismatch: [
      "双方金额不同，请与支付渠道核实后处理。",
      "The amounts differ. Check with the gateway before you decide.",
    ],
  },
  noteHelp: ["如 次日对账单中已有，金额一致", "For example: in the next day's statement, amounts agree"],
  decided: ["已处理", "Processed"],
  openOrder: (orderNo: string) => [`查看订单 ${orderNo}`, `View order ${orderNo}`],
  run: ["对账", "Reconcile a day"],
  runTitle: ["与对账单比对", "Compare with the statement"],
  runAbout: [
    "取支付渠道该日的对账单，与订单逐笔比对。可以重复进行：未处理的差异会重新生成，已处理的保留。",
    "The gateway's statement of the day is compared with the orders, one by one. It can be repeated: unprocessed differences are found anew, processed ones stay.",
  ],
  afterToday: ["不能晚于今天", "Not after today"],
  runDone: (gateway: string, date: string) => [`${gateway} ${date}`, `${gateway}, ${date}`],
  agrees: (matched: string) => [`${matched} 笔一致，没有差异`, `${matched} agree, no differences`],
  differs: (matched: string) => [`${matched} 笔一致，有差异：`, `${matched} agree; differences:`],
  counts: (type: string, count: string) => [`${type} ${count} 笔`, `${type}: ${count}`],
  noRows: ["没有差异", "No differences"],
  noRowsAbout: [
    "不一致的交易会出现在这里。也可以选择支付渠道与日期，立即对账。",
    "Transactions that differ appear here. You can also choose a gateway and a day and reconcile now.",
  ],
});
