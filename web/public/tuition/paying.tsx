import { useEffect } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { call, makeKey } from "#shared/call/exchange.ts";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";
import { useTexts } from "#public/tuition/texts.ts";
import { openKept } from "#public/tuition/kept.ts";
import { go, paths } from "#public/tuition/route.tsx";
import { ask } from "#public/tuition/student.ts";

export type Gateway = RecordOf<typeof tuitionPayment.listGateways>;

type Kind = Gateway["kind"];

const isInsideApp = /MicroMessenger/i.test(navigator.userAgent);
const isPhone =
  isInsideApp ||
  /Mobile|Android|iPhone|iPad|HarmonyOS/i.test(navigator.userAgent) ||
  matchMedia("(pointer: coarse)").matches;

// Inside WeChat the payer's OpenID may come in the address; otherwise the page requests it from WeChat.
const openId = openKept<string>("openId");
const given = new URLSearchParams(location.search).get("openId");
if (given !== null && given.length <= 128) openId.set(given);

/** WeChat blocks Alipay's pages, so Alipay has no payment method inside WeChat. */
export function findKind({ gateway, kinds, authorize }: Gateway): Kind | undefined {
  if (gateway === "alipay" && isInsideApp) return undefined;
  if (gateway !== "wechat") return kinds[0];
  const wanted = isInsideApp ? "jsapi" : isPhone ? "h5" : "native";
  const knowsPayer = wanted !== "jsapi" || authorize !== undefined || openId.get() !== undefined;
  return kinds.includes(wanted) && knowsPayer ? wanted : undefined;
}

export const isUsable = (gateway: Gateway): boolean => findKind(gateway) !== undefined;

export interface GatewayChoiceProps {
  readonly gateways: readonly Gateway[];
  readonly value: Gateway["gateway"] | undefined;
  readonly onChange: (gateway: Gateway["gateway"]) => void;
}

export function GatewayChoice({ gateways, value, onChange }: GatewayChoiceProps) {
  const t = useTexts();
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
          {!isUsable(each) && (
            <span className="tag">{isInsideApp || !each.kinds.includes("jsapi") ? t.notInWechat : t.wechatOnly}</span>
          )}
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

export interface PayTarget {
  readonly path: string;
  readonly begin: (wish: PayWish) => Promise<PayAnswer>;
}

export interface PayWish {
  readonly gateway: Gateway["gateway"];
  readonly kind: "jsapi" | "h5" | "native";
  readonly redirectUrl: string;
  readonly openId?: string;
}

export const ownOrder = (orderNo: string): PayTarget => ({
  path: paths.order(orderNo),
  begin: (body) => ask(tuitionPayment.payOrder, { params: { orderNo }, body }),
});

/**
 * Returns the text of a QR code to be scanned, or undefined after WeChat's payment dialog. For other payments the
 * browser leaves the page for the gateway, and the promise never resolves; Back leads to `target.path`.
 * @throws {CallFailure} if the gateway refuses; the order remains
 */
export async function payAt(target: PayTarget, gateway: Gateway): Promise<string | undefined> {
  const kind = findKind(gateway);
  const payer = openId.get();
  if (kind === "jsapi" && payer === undefined && gateway.authorize) return askWhoPays(target, gateway.authorize);
  const ofDevice = isPhone ? "h5" : "native";
  const answer = await target.begin({
    gateway: gateway.gateway,
    kind: kind === "jsapi" ? kind : ofDevice,
    redirectUrl: target.path,
    ...(payer !== undefined && { openId: payer }),
  });
  history.replaceState(null, "", target.path);
  if (answer.qr !== undefined) return answer.qr;
  await hand(answer);
  go(target.path, { replace: true });
  return undefined;
}

// WeChat's OAuth redirect returns with a single-use code that identifies the payer.

const errand = openKept<string>("payer");

function askWhoPays({ path }: PayTarget, { url, appId }: NonNullable<Gateway["authorize"]>): Promise<never> {
  const state = makeKey();
  errand.set(state);
  const asked = {
    appid: appId,
    redirect_uri: location.origin + path,
    response_type: "code",
    scope: "snsapi_base",
    state,
  };
  location.assign(`${url}?${new URLSearchParams(asked).toString()}#wechat_redirect`);
  // The page is being left, so the promise never resolves.
  return new Promise(() => undefined);
}

/** Returns the code only after a redirect that this tab began, since another person's code would name another payer. */
function takeCode(): string | undefined {
  const query = new URLSearchParams(location.search);
  const code = query.get("code");
  if (code === null || query.get("state") !== errand.get()) return undefined;
  errand.forget();
  history.replaceState(null, "", location.pathname + location.hash);
  return code;
}

let code = takeCode();

export function useReturn(gateways: readonly Gateway[], goOn: (gateway: Gateway, learn: () => Promise<void>) => void) {
  const wechat = gateways.find(({ gateway }) => gateway === "wechat");
  useEffect(() => {
    if (wechat === undefined || code === undefined) return;
    const body = { code };
    code = undefined;
    goOn(wechat, async () => openId.set((await call(tuitionPayment.findPayer, { body })).openId));
  });
}

// The back-forward cache restores the page in the state in which the user left it, so a restored page reloads.
window.addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

const hand = ({ url, form, jsapi }: PayAnswer): Promise<void> =>
  new Promise((resolve) => {
    if (url !== undefined) leaveFor(url);
    else if (form !== undefined) post(form);
    else if (jsapi !== undefined) {
      const invoke = () => findBridge()?.invoke("getBrandWCPayRequest", jsapi, () => resolve());
      if (findBridge()) invoke();
      // WeChat adds the bridge some time after the page has loaded.
      else document.addEventListener("WeixinJSBridgeReady", invoke, { once: true });
    } else resolve();
  });

/** WeChat Pay's H5 page requires a Referer header. */
function leaveFor(url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.referrerPolicy = "origin";
  document.body.append(link);
  link.click();
}

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
