import { platform } from "#shared/api/platform.ts";
import { makeKey } from "#shared/call/exchange.ts";
import { place } from "#shared/place.ts";
import { callWith } from "#console/call/call.ts";
import { openSession, type Pending } from "#console/session/accounts.ts";

export type Provider = "oidc" | "cas";

interface Offer {
  readonly signOns: readonly Provider[];
  readonly passwords: "all" | "few";
}

export const signOnOffer: Offer = (place.told as Offer | undefined) ?? { signOns: [], passwords: "all" };

/** The redirect path, below the console. */
export const signOnPath = "/sign-on";

// The return path is kept in the tab, since an address could be forged.
const returnKey = `quintet.return${place.base}`;
const consoleBase = `${place.base}/console`;

// Marks that this browser's button was pressed; a foreign link must not start a sign-on.
const pressKey = `quintet.press${place.base}`;

const isProvider = (text: string | null): text is Provider => signOnOffer.signOns.some((provider) => provider === text);

/** Redirects to the campus, and later back to the open page. @throws {CallFailure} */
export async function leaveForCampus(provider: Provider, service: string): Promise<void> {
  const { address } = await callWith(platform.beginSignOn, { body: { provider, service } });
  const here = window.location.pathname.slice(consoleBase.length);
  sessionStorage.setItem(returnKey, here.startsWith(signOnPath) ? "/" : here + window.location.search);
  window.location.assign(address);
}

export function takeReturn(): string {
  const kept = sessionStorage.getItem(returnKey);
  sessionStorage.removeItem(returnKey);
  return kept?.startsWith("/") ? kept : "/";
}

const underWay = new Map<string, Promise<Pending | void>>();

/**
 * The address's request: continue to a provider after another tab's button, show the button for a campus portal link,
 * or finish.
 */
export function readWay(query: string): Provider | "ask" | "finish" {
  const asked = new URLSearchParams(query);
  const [wanted, press] = [asked.get("begin"), asked.get("press")];
  if (wanted === null) return "finish";
  return isProvider(wanted) && press !== null && press === localStorage.getItem(pressKey) ? wanted : "ask";
}

/**
 * Follows the redirect address, idempotent across renders: begins, or signs in with the returned code, which may yield
 * a session pending a second factor.
 * @throws {CallFailure}
 */
export function followSignOn(query: string, service: string): Promise<Pending | void> {
  const known = underWay.get(query);
  if (known) return known;
  const way = readWay(query);
  const work = way === "finish" ? finish(query) : way === "ask" ? Promise.resolve() : leaveForCampus(way, service);
  underWay.set(query, work);
  return work;
}

async function finish(query: string): Promise<Pending | undefined> {
  const { token, endAddress } = await callWith(platform.finishSignOn, { body: { query } });
  return openSession(token, { endAddress });
}

/** Signs on in another tab, which notifies this one; input here stays. */
export function signOnBeside(provider: Provider): void {
  const press = makeKey();
  localStorage.setItem(pressKey, press);
  window.open(`${consoleBase}${signOnPath}?begin=${provider}&press=${press}`, "_blank", "noopener");
}
