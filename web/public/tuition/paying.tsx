import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#public/tuition/texts.ts";
import { openKept } from "#public/tuition/kept.ts";
import { go, paths } from "#public/tuition/route.tsx";
import { ask } from "#public/tuition/student.ts";

export type Gateway = RecordOf<typeof tuitionPayment.listGateways>;

/** Whether this browser can pay there: what pays inside the messaging app needs that app. */
export const isUsable = ({ kind }: Gateway): boolean => kind !== "jsapi" || canPayInApp();

export interface GatewayChoiceProps {
  readonly gateways: readonly Gateway[];
  readonly value: Gateway["gateway"] | undefined;
  readonly onChange: (gateway: Gateway["gateway"]) => void;
}

export function GatewayChoice({ gateways, value, onChange }: GatewayChoiceProps) {
  const t = useTexts(texts);
  return (
    <fieldset className="card stack tuition-gateways">
      <legend>{t.gateway}</legend>
      {gateways.map((each) => (
        <label key={each.gateway} className="tuition-item">
          <input
            type="radio"
            name="gateway"
            checked={each.gateway === value}
            disabled={!isUsable(each)}
            onChange={() => onChange(each.gateway)}
          />
          <span className="tuition-name">{each.name}</span>
          {!isUsable(each) && <span className="tag">{t.wechatOnly}</span>}
        </label>
      ))}
    </fieldset>
  );
}

type PayAnswer = DataOf<typeof tuitionPayment.payOrder>;

interface Bridge {
  invoke(method: string, given: object, done: (result: { readonly err_msg: string }) => void): void;
}

const findBridge = (): Bridge | undefined => (window as { readonly WeixinJSBridge?: Bridge }).WeixinJSBridge;

// Whoever opens the page inside the messaging app says in its address whose open identifier it is.
const openId = openKept<string>("openId");
const given = new URLSearchParams(location.search).get("openId");
if (given !== null && given.length <= 128) openId.set(given);

const isInsideApp = /MicroMessenger/i.test(navigator.userAgent);
const canPayInApp = (): boolean => isInsideApp && openId.get() !== undefined;

/**
 * Has the gateway take the payment, and leaves for it; whoever goes back from there finds the order. Does not resolve
 * when the page is left.
 * @throws {CallFailure} when the gateway does not take it; the order is there still
 */
export async function payAt(orderNo: string, gateway: PayAnswer["gateway"]): Promise<void> {
  const payer = openId.get();
  const answer = await ask(tuitionPayment.payOrder, {
    params: { orderNo },
    body: { gateway, redirectUrl: paths.order(orderNo), ...(payer !== undefined && { openId: payer }) },
  });
  history.replaceState(null, "", paths.order(orderNo));
  await hand(answer);
  go(paths.order(orderNo), { replace: true });
}

// A browser that kept the page as it was left would show it leaving for ever.
window.addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

const hand = ({ url, form, jsapi }: PayAnswer): Promise<void> =>
  new Promise((resolve) => {
    if (url !== undefined) location.assign(url);
    else if (form !== undefined) post(form);
    else if (jsapi !== undefined) findBridge()?.invoke("getBrandWCPayRequest", jsapi, () => resolve());
    else resolve();
  });

function post({ action, fields }: NonNullable<PayAnswer["form"]>): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = action;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}
