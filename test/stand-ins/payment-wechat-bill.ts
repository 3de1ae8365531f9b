import { beijingTime, type BookedRow, yuanText } from "./payment-books.ts";

const headings =
  "交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,应结订单金额,代金券金额,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率,订单金额,申请退款金额,费率备注";
const sums = "总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额";

interface Merchant {
  readonly appId: string;
  readonly mchId: string;
  readonly refundStates: ReadonlyMap<string, string>;
}

/**
 * Each value in the trade bill begins with a backtick, and the totals are at the end. Names of goods may contain
 * commas.
 */
export function writeWeChatBill(rows: readonly BookedRow[], merchant: Merchant): string {
  const lines = rows.map((row) => writeRow(row, merchant));
  const total = [String(rows.length), ...Array.from({ length: 6 }, () => "0.00")];
  return `${[headings, ...lines, sums, toLine(total)].join("\r\n")}\r\n`;
}

const toLine = (cells: readonly string[]): string => cells.map((cell) => `\`${cell}`).join(",");

function writeRow(row: BookedRow, { appId, mchId, refundStates }: Merchant): string {
  const { order } = row;
  const isRefund = row.kind === "refund";
  const atMs = isRefund ? row.refund.atMs : row.atMs;
  const [refundTradeNo, refundNo, refundYuan] = isRefund
    ? [row.refund.refundTradeNo, row.refund.refundNo, yuanText(row.refund.amountFen)]
    : ["0", "0", "0.00"];
  const amount = isRefund ? "0.00" : yuanText(row.amountFen);
  const trade = [beijingTime(atMs), appId, mchId, "0", "", order.tradeNo, order.orderNo, "openid", "JSAPI"];
  const money = ["OTHERS", "CNY", amount, "0.00", refundTradeNo, refundNo, refundYuan, "0.00"];
  const rest = ["学费, 住宿费", "", "0.00000", "0.60%", amount, refundYuan, ""];
  const refundState = isRefund ? (refundStates.get(refundNo) ?? "SUCCESS") : "";
  const [state, type] = isRefund ? ["REFUND", "ORIGINAL"] : ["SUCCESS", ""];
  return toLine([...trade, state, ...money, type, refundState, ...rest]);
}
