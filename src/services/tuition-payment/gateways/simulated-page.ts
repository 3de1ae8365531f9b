import type { Language } from "#platform/contract/language.ts";
import { beginPage, type Branding, escapeHtml } from "#platform/http/html.ts";
import { formatFen } from "#services/tuition-payment/amounts.ts";

const texts = {
  zh: {
    title: "模拟支付",
    about: "这里不产生真实扣款，仅供试用。",
    payee: "收款单位",
    order: "订单号",
    amount: "金额",
    pay: "确认支付",
    fail: "让支付失败",
    back: "返回",
    paid: "已支付",
    closed: "订单已关闭",
    unknown: "订单不存在",
    down: "暂时无法支付，请稍后再试。",
  },
  en: {
    title: "Simulated payment",
    about: "This page is for testing only. No real payment is made.",
    payee: "Payee",
    order: "Order",
    amount: "Amount",
    pay: "Pay now",
    fail: "Simulate a failure",
    back: "Go back",
    paid: "Paid",
    closed: "The order is closed",
    unknown: "The order does not exist",
    down: "Payment is not possible at the moment. Please try again later.",
  },
} as const;

const style = `:root{--ink:light-dark(#111827,#f3f4f6);--dim:light-dark(#4b5563,#9ca3af);--card:light-dark(#fff,#1f2937);--back:light-dark(#f3f4f6,#111827);--line:light-dark(#d1d5db,#4b5563)}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:16px;background:var(--back);color:var(--ink);font:16px/1.5 system-ui,"PingFang SC","Microsoft YaHei",sans-serif}
main{width:100%;max-width:400px;padding:24px;border-radius:12px;background:var(--card);border:1px solid var(--line)}svg{width:40px}img{max-width:160px;max-height:40px}
h1{margin:8px 0 4px;font-size:20px}p{margin:0 0 16px;color:var(--dim)}dl{margin:0 0 20px;display:grid;gap:4px}dt{color:var(--dim);font-size:14px}dd{margin:0 0 8px;overflow-wrap:anywhere}dd.amount{font-size:28px;font-weight:600}
button,a{display:block;width:100%;margin-top:12px;padding:12px;border-radius:8px;border:1px solid var(--line);background:none;color:inherit;font:inherit;text-align:center;text-decoration:none;cursor:pointer}
button.pay{background:#1d4ed8;border-color:#1d4ed8;color:#fff}button:disabled{opacity:.5}:focus-visible{outline:3px solid #60a5fa;outline-offset:2px}[role=status]{margin:12px 0 0}`;

const script = `for (const button of document.querySelectorAll("button")) button.addEventListener("click", async () => {
  const buttons = [...document.querySelectorAll("button")];
  for (const each of buttons) each.disabled = true;
  const { back, down } = document.body.dataset;
  try {
    const reply = await fetch(location.pathname, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ result: button.value }) });
    if (!reply.ok) throw new Error();
    if (back) location.assign(back); else location.reload();
  } catch {
    document.querySelector("[role=status]").textContent = down;
    for (const each of buttons) each.disabled = false;
  }
});`;

export const simulatedPagePolicy = (nonce: string): string =>
  `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function renderSimulatedPage(
  language: Language,
  trade: SimulatedTrade | undefined,
  { nonce, branding }: { readonly nonce: string; readonly branding: Branding },
): string {
  const text = texts[language];
  return `${beginPage(language, text.title, { head: [`<style nonce="${nonce}">${style}</style>`], branding })}
<body data-back="${escapeHtml(trade?.returnUrl ?? "")}" data-down="${text.down}">
<main>
${branding.mark}
<h1>${text.title}</h1>
<p>${text.about}</p>
${renderTrade(language, trade, branding.name)}
<p role="status"></p>
</main>
<script nonce="${nonce}" type="module">${script}</script>
</body>
</html>
`;
}

function renderTrade(language: Language, trade: SimulatedTrade | undefined, payee: string): string {
  const text = texts[language];
  if (!trade) return `<strong>${text.unknown}</strong>`;
  const back = trade.returnUrl === null ? "" : `<a href="${escapeHtml(trade.returnUrl)}">${text.back}</a>`;
  const rows = `<dl>${payee && `<dt>${text.payee}</dt><dd>${payee}</dd>`}
<dt>${text.order}</dt><dd>${escapeHtml(trade.orderNo)}</dd>
<dt>${text.amount}</dt><dd class="amount">${formatFen(trade.orderFen)}</dd></dl>`;
  if (trade.state !== "pending") return `${rows}<strong>${text[trade.state]}</strong>${back}`;
  return `${rows}<button class="pay" value="success">${text.pay}</button>
<button value="fail">${text.fail}</button>${back}`;
}

// The simulated gateway's storage outlives the process and is shared by all processes.

/** "down" makes queries, closing and refunds fail. */
export type SimulatedResult = "success" | "fail" | "down";

export interface SimulatedTrade {
  readonly orderNo: string;
  readonly tradeNo: string;
  readonly orderFen: number;
  readonly amountFen: number;
  readonly state: "pending" | "paid" | "closed";
  readonly result: SimulatedResult | null;
  readonly paidAtMs: number | null;
  /**
   * The amount in the day's statement. Null omits the payment from the statement, and undefined means the amount paid.
   */
  readonly statementFen?: number | null;
  readonly returnUrl: string | null;
  readonly refunds: readonly SimulatedRefund[];
}

export interface SimulatedRefund {
  readonly refundNo: string;
  readonly amountFen: number;
  readonly doneAtMs: number;
}

export interface SimulatedBooks {
  /**
   * The key that signs notices is permanent and common to all processes, so that the signatures of stored notices stay
   * valid.
   */
  readSecret(): Promise<string>;
  find(orderNo: string): Promise<SimulatedTrade | undefined>;
  /** Concurrent changes of one order run one after the other. */
  change(orderNo: string, change: (trade: SimulatedTrade | undefined) => SimulatedTrade): Promise<SimulatedTrade>;
  listBetween(startMs: number, endMs: number): Promise<SimulatedTrade[]>;
}
