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

export const signOnPath = "/sign-on";

// The tab keeps the return path, since a path in the address could be forged.
const returnKey = `quintet.return${place.base}`;
const consoleBase = `${place.base}/console`;

// This entry proves that the user pressed the button in this browser; a foreign link must not start a sign-on.
const pressKey = `quintet.press${place.base}`;

const isProvider = (text: string | null): text is Provider => signOnOffer.signOns.some((provider) => provider === text);

export async function leaveForCampus(provider: Provider, service?: string): Promise<void> {
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
 * Returns what the address asks for: to start a sign-on at a provider (the user pressed the button in another tab), to
 * show the button (a campus portal linked here), or to finish a sign-on.
 */
export function readWay(query: string): Provider | "ask" | "finish" {
  const asked = new URLSearchParams(query);
  const [wanted, press] = [asked.get("begin"), asked.get("press")];
  if (wanted === null) return "finish";
  return isProvider(wanted) && press !== null && press === localStorage.getItem(pressKey) ? wanted : "ask";
}

/**
 * Begins the sign-on, or exchanges the returned code. It may be called in every render, since only the first call has
 * an effect. Resolves with a pending session if the account must still choose a password or show a second factor.
 * @throws {CallFailure}
 */
export function followSignOn(query: string): Promise<Pending | void> {
  const known = underWay.get(query);
  if (known) return known;
  const way = readWay(query);
  const service = new URLSearchParams(query).get("service") ?? undefined;
  const work = way === "finish" ? finish(query) : way === "ask" ? Promise.resolve() : leaveForCampus(way, service);
  underWay.set(query, work);
  return work;
}

async function finish(query: string): Promise<Pending | undefined> {
  const { token, endAddress } = await callWith(platform.finishSignOn, { body: { query } });
  return openSession(token, { endAddress });
}

export function signOnBeside(provider: Provider, service: string): void {
  const press = makeKey();
  localStorage.setItem(pressKey, press);
  window.open(`${consoleBase}${signOnPath}?begin=${provider}&service=${service}&press=${press}`, "_blank", "noopener");
}
