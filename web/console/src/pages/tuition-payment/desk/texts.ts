import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  desk: ["待处理款项", "Payment exceptions"],
  deskAbout: [
    "对账差异、迟到或金额不符的款项、退款失败与待审批的退款，逐笔处理",
    "Differences with statements, money that came late or in another amount, refunds that failed or wait for approval",
  ],
  state: ["处理状态", "Status"],
  states: { false: ["待处理", "Waiting"], true: ["已处理", "Done"] },
  kind: ["类型", "Kind"],
  allKinds: ["全部类型", "All kinds"],
  kinds: {
    long: ["仅对账单有", "Only in the statement"],
    short: ["对账单中没有", "Not in the statement"],
    mismatch: ["金额不一致", "Amounts differ"],
    late: ["决定之后到账", "Came after a decision"],
    otherAmount: ["付款金额不符", "Paid in another amount"],
    refundFailed: ["退款失败", "Refund failed"],
    refundAsked: ["退款待审批", "Refund to approve"],
  },
  advice: {
    long: [
      "支付渠道收到了款项，订单没有入账。先向渠道核实；同一订单付了两次的，退回多付的一笔。",
      "The gateway has received money that the order does not show. Ask the gateway first; if the order was paid twice, return the second payment.",
    ],
    short: [
      "订单已入账，对账单中没有这笔。可能记入次日的对账单，请先核对次日。",
      "The order is booked, but the statement does not have it. It may be in the next day's: check that first.",
    ],
    mismatch: [
      "订单与对账单的金额不同，请与支付渠道核实后写明处理意见。",
      "Order and statement have different amounts. Check with the gateway, then note what was decided.",
    ],
    late: [
      "款项到账前，缴费信息已由人工处理。是同一笔钱的退回；否则入账，并撤销原来的决定。",
      "Somebody had decided about the payable before this money came. Return it if it was paid twice; or book it, which undoes that decision.",
    ],
    otherAmount: [
      "付款金额与订单不同，不会入账。核实后全额退回，学生可以重新下单。",
      "Money in another amount is not booked. Check it, then return all of it: the student can order again.",
    ],
    refundFailed: [
      "支付渠道拒绝了退款。可以再次退款；已用其他方式退还的，登记凭据。",
      "The gateway has refused the refund. Try once more; or, if it was given back otherwise, record the evidence.",
    ],
    refundAsked: [
      "退款须由申请人以外的另一位超级管理员批准。",
      "A refund needs the approval of a super administrator other than who asked for it.",
    ],
  },
  actions: {
    ask: ["向渠道核实", "Ask the gateway"],
    settle: ["入账", "Book it"],
    refund: ["退回", "Return it"],
    again: ["再次退款", "Refund again"],
    outside: ["已线下退还", "Given back otherwise"],
    note: ["写明意见并结束", "Close with a note"],
    approve: ["批准退款", "Approve"],
    refuse: ["不批准", "Refuse"],
    keep: ["不再退款", "Keep the money"],
  },
  readBack: {
    settle: (sum: string, who: string) => [
      `${sum} 记为${who}的缴费，并撤销原来的决定？`,
      `Book ${sum} as paid by ${who}, and undo the decision?`,
    ],
    refund: (sum: string, who: string) => [`原路退回 ${sum} 给${who}？`, `Return ${sum} to ${who}?`],
    again: (sum: string, who: string) => [`再次原路退款 ${sum} 给${who}？`, `Refund ${sum} to ${who} once more?`],
    outside: (sum: string, who: string) => [
      `已用其他方式退还 ${sum} 给${who}？`,
      `Record that ${sum} was given back to ${who} otherwise?`,
    ],
    note: () => ["不动款项，写明处理意见", "No money moves; say what was decided"],
    approve: (sum: string, who: string) => [`批准退款 ${sum} 给${who}？`, `Approve the refund of ${sum} to ${who}?`],
    refuse: (sum: string, who: string) => [`不批准退款 ${sum} 给${who}？`, `Refuse the refund of ${sum} to ${who}?`],
    keep: (sum: string, who: string) => [
      `不再退还 ${sum} 给${who}，其项目保持已缴？`,
      `Leave ${sum} of ${who} where it is, its items paid?`,
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
  asked: ["已向支付渠道核实", "The gateway was asked"],
  done: ["已处理", "Done"],
  who: (name: string, number: string) => [`${name}（${number}）`, `${name} (${number})`],
  ownRefund: [
    "由您申请，须由另一位超级管理员批准。",
    "You asked for it: another super administrator has to approve it.",
  ],
  bySuper: ["请由超级管理员处理。", "A super administrator decides about it."],
  busy: [
    "该订单有其他退款正在进行，完成后可继续处理。",
    "Another refund of the order is under way; more can be done when it has ended.",
  ],
  handledCount: (count: string) => [`已处理 ${count} 笔`, `${count} done`],
  nothing: {
    false: ["没有待处理的款项", "Nothing waits"],
    true: ["还没有处理过的款项", "Nothing has been decided yet"],
  },
  nothingAbout: {
    false: [
      "对账出现差异、款项迟到、退款失败或待审批时，会出现在这里。",
      "Differences with statements, late money and refunds that need somebody appear here.",
    ],
    true: ["处理过的款项会留在这里。", "What has been decided stays here."],
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
  since: ["等待时间起", "Waits since"],
  gateway: ["支付渠道", "Gateway"],
  note: ["处理结果", "Outcome"],
  by: ["处理人", "Decided by"],
  bySystem: ["系统", "system"],
  refundNo: ["退款单号", "Refund no."],
  failure: ["渠道答复", "Gateway said"],
  askedBy: ["申请人", "Asked for by"],
  byRule: ["系统自动", "automatic"],
  order: ["订单", "Order"],
  openOrder: (orderNo: string) => [`打开订单 ${orderNo}`, `Open order ${orderNo}`],
  unknownOrder: (orderNo: string) => [`本系统没有订单 ${orderNo}。`, `This system has no order ${orderNo}.`],
  statementLines: ["对账单差异", "Differences with statements"],
  date: ["日期", "Day"],
  tradeNo: ["交易号", "Trade no."],
});

export type DeskTexts = ReturnType<typeof useTexts>;
