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

/** Where the browser comes back to, below the console. */
export const signOnPath = "/sign-on";

// The tab keeps where it was: what stands in an address could have been put there by anybody.
const returnKey = `quintet.return${place.base}`;
const consoleBase = `${place.base}/console`;

// That a button of this browser's console has been pressed: a link from elsewhere must sign nobody in unasked.
const pressKey = `quintet.press${place.base}`;

const isProvider = (text: string | null): text is Provider => signOnOffer.signOns.some((provider) => provider === text);

/** Leaves for the campus, to come back to the page that is open. @throws {CallFailure} */
export async function leaveForCampus(provider: Provider, service: string): Promise<void> {
  const { address } = await callWith(platform.beginSignOn, { body: { provider, service } });
  const here = window.location.pathname.slice(consoleBase.length);
  sessionStorage.setItem(returnKey, here.startsWith(signOnPath) ? "/" : here + window.location.search);
  window.location.assign(address);
}

/** The page that was left, once. */
export function takeReturn(): string {
  const kept = sessionStorage.getItem(returnKey);
  sessionStorage.removeItem(returnKey);
  return kept?.startsWith("/") ? kept : "/";
}

const underWay = new Map<string, Promise<Pending | void>>();

/** What the address asks for: to go on to a provider, as another tab's button was pressed; to be pressed, as a link of the campus portal; or to finish. */
export function readWay(query: string): Provider | "ask" | "finish" {
  const asked = new URLSearchParams(query);
  const [wanted, press] = [asked.get("begin"), asked.get("press")];
  if (wanted === null) return "finish";
  return isProvider(wanted) && press !== null && press === localStorage.getItem(pressKey) ? wanted : "ask";
}

/**
 * Follows the address of the way back, however often the page is drawn: begins, or signs in with what has come back; then
 * it gives a session that has to show a second factor.
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

/** Signs on in another tab, which tells this one: what is typed here stays. */
export function signOnBeside(provider: Provider): void {
  const press = makeKey();
  localStorage.setItem(pressKey, press);
  window.open(`${consoleBase}${signOnPath}?begin=${provider}&press=${press}`, "_blank", "noopener");
}
