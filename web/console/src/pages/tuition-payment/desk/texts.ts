import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  desk: ["待处理款项", "Payment exceptions"],
  deskAbout: [
    "对账差异、迟到或金额不符的款项、退款失败与待审批的退款，逐笔处理",
    "Reconciliation differences, payments that are late or have a different amount, and refunds that failed or await approval, to be handled one by one",
  ],
  state: ["处理状态", "Status"],
  states: { false: ["待处理", "Waiting"], true: ["已处理", "Done"] },
  kind: ["类型", "Kind"],
  allKinds: ["全部类型", "All kinds"],
  kinds: {
    long: ["仅对账单有", "Only in the statement"],
    short: ["对账单中没有", "Not in the statement"],
    mismatch: ["金额不一致", "Amounts differ"],
    late: ["决定之后到账", "Received after a decision"],
    otherAmount: ["付款金额不符", "Different amount paid"],
    refundFailed: ["退款失败", "Refund failed"],
    refundAsked: ["退款待审批", "Refund to approve"],
  },
  advice: {
    long: [
      "支付渠道收到了款项，订单没有入账。先向渠道核实；同一订单付了两次的，退回多付的一笔。",
      "The gateway received a payment that is not booked for the order. Query the gateway first; if the order was paid twice, refund the second payment.",
    ],
    short: [
      "订单已入账，对账单中没有这笔。可能记入次日的对账单，请先核对次日。",
      "The order is booked but missing from the statement. It may be in the next day's statement: check that first.",
    ],
    longRefund: [
      "支付渠道退还了款项，本系统没有这笔退款。先向渠道核实，再写明处理意见。",
      "The gateway returned money, but this refund is not booked. Query the gateway first, then note the decision.",
    ],
    shortRefund: [
      "退款已登记完成，对账单中没有这笔。可能记入次日的对账单，请先核对次日。",
      "The refund is booked but missing from the statement. It may be in the next day's statement: check that first.",
    ],
    mismatch: [
      "订单与对账单的金额不同，请与支付渠道核实后写明处理意见。",
      "The order and the statement have different amounts. Check with the gateway, then note the decision.",
    ],
    late: [
      "款项到账前，缴费信息已由人工处理。若是重复付款，请退回；否则入账，并撤销原来的决定。",
      "The payable had already been handled manually before this payment arrived. Refund the payment if it is a duplicate; otherwise book it, which undoes the earlier decision.",
    ],
    otherAmount: [
      "付款金额与订单不同，不会入账。核实后全额退回，学生可以重新下单。",
      "A payment with a different amount is not booked. Check it, then refund it in full; the student can place a new order.",
    ],
    refundFailed: [
      "支付渠道拒绝了退款。可以再次退款；已用其他方式退还的，登记凭据。",
      "The gateway rejected the refund. Try again or, if the money was returned in another way, record the evidence.",
    ],
    refundAsked: [
      "退款须由申请人以外的另一位超级管理员批准。",
      "A refund must be approved by a super administrator other than the requester.",
    ],
  },
  actions: {
    ask: ["向渠道核实", "Query the gateway"],
    settle: ["入账", "Book"],
    refund: ["退回", "Refund"],
    again: ["再次退款", "Refund again"],
    outside: ["已线下退还", "Refunded outside the gateway"],
    note: ["写明意见并结束", "Close with a note"],
    approve: ["批准退款", "Approve"],
    refuse: ["不批准", "Refuse"],
    keep: ["不再退款", "Do not refund"],
  },
  readBack: {
    settle: (sum: string, who: string) => [
      `${sum} 记为${who}的缴费，并撤销原来的决定？`,
      `Book ${sum} as paid by ${who}, and undo the decision?`,
    ],
    refund: (sum: string, who: string) => [`原路退回 ${sum} 给${who}？`, `Refund ${sum} to ${who}?`],
    again: (sum: string, who: string) => [`再次原路退款 ${sum} 给${who}？`, `Refund ${sum} to ${who} once more?`],
    outside: (sum: string, who: string) => [
      `已用其他方式退还 ${sum} 给${who}？`,
      `Record that ${sum} was returned to ${who} outside the gateway?`,
    ],
    note: () => ["不动款项，写明处理意见", "No money is moved; note the decision"],
    approve: (sum: string, who: string) => [`批准退款 ${sum} 给${who}？`, `Approve the refund of ${sum} to ${who}?`],
    refuse: (sum: string, who: string) => [`不批准退款 ${sum} 给${who}？`, `Refuse the refund of ${sum} to ${who}?`],
    keep: (sum: string, who: string) => [
      `不再退还 ${sum} 给${who}，其项目保持已缴？`,
      `Do not refund ${sum} to ${who}, and keep the items paid?`,
    ],
  },
  fields: {
    reason: ["原因（可不填）", "Reason (optional)"],
    evidence: ["退还凭据", "Evidence"],
    note: ["处理意见", "Note"],
  },
  helps: {
    reason: ["会随退款发给支付渠道", "Sent to the gateway with the refund"],
    evidence: ["如 银行转账凭证号", "Such as the number of the bank transfer"],
    note: ["如 次日对账单中已有", "Such as: in the next day's statement"],
  },
  missing: (label: string) => [`请填写${label}`, `${label} is required`],
  confirm: ["确认", "Confirm"],
  giveUp: ["放弃", "Give up"],
  asked: ["已向支付渠道核实", "The gateway was queried"],
  done: ["已处理", "Done"],
  who: (name: string, number: string) => [`${name}（${number}）`, `${name} (${number})`],
  ownRefund: [
    "由您申请，须由另一位超级管理员批准。",
    "You requested this refund, so another super administrator must approve it.",
  ],
  bySuper: ["请由超级管理员处理。", "Only a super administrator can handle this."],
  busy: [
    "该订单有其他退款正在进行，完成后可继续处理。",
    "Another refund of this order is in progress; you can continue once it is finished.",
  ],
  handledCount: (count: string) => [`已处理 ${count} 笔`, `${count} done`],
  nothing: {
    false: ["没有待处理的款项", "No payment exceptions"],
    true: ["还没有处理过的款项", "No handled payment exceptions yet"],
  },
  nothingAbout: {
    false: [
      "对账出现差异、款项迟到、退款失败或待审批时，会出现在这里。",
      "Reconciliation differences, late payments and refunds that need attention appear here.",
    ],
    true: ["处理过的款项会留在这里。", "Handled payment exceptions are listed here."],
  },
  caseName: ["当前款项", "Current case"],
  money: ["款项", "Money"],
  amounts: {
    order: ["订单金额", "Order"],
    refund: ["退款金额", "Refund"],
    statement: ["对账单金额", "Statement"],
    received: ["渠道实收", "Received"],
  },
  none: ["无", "none"],
  since: ["开始等待", "Waiting since"],
  gateway: ["支付渠道", "Gateway"],
  note: ["处理结果", "Outcome"],
  by: ["处理人", "Handled by"],
  bySystem: ["系统", "system"],
  refundNo: ["退款单号", "Refund no."],
  failure: ["渠道答复", "Gateway's response"],
  askedBy: ["申请人", "Requested by"],
  byRule: ["系统自动", "automatic"],
  order: ["订单", "Order"],
  openOrder: (orderNo: string) => [`打开订单 ${orderNo}`, `Open order ${orderNo}`],
  unknownOrder: (orderNo: string) => [`本系统没有订单 ${orderNo}。`, `This system has no order ${orderNo}.`],
  statementLines: ["对账单差异", "Reconciliation differences"],
  date: ["日期", "Day"],
  tradeNo: ["交易号", "Trade no."],
});

export type DeskTexts = ReturnType<typeof useTexts>;
