import { type Caller, isOperator } from "#platform/contract/caller.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { SecondFactorSettings } from "#platform/contract/second-factor-settings.ts";

type Rights = Pick<Caller, "isSuper" | "service">;

/** Whether the account must have a second factor, by the settings. */
export const mustHaveFactor = (settings: SecondFactorSettings, { isSuper, service }: Rights): boolean =>
  settings.SECOND_FACTOR !== "off" &&
  (settings.SECOND_FACTOR_FOR === "everybody" || isSuper || isOperator({ service }));

/** Whether a login that will not show a second factor is refused. */
export const refusesPasswordAlone = (
  settings: SecondFactorSettings,
  account: Rights & { hasFactor: boolean },
): boolean => settings.SECOND_FACTOR === "all" && (account.hasFactor || mustHaveFactor(settings, account));

type Asking = Pick<Endpoint, "own" | "secondFactor" | "choosesPassword">;
type Session = Rights & Pick<Caller, "hasFactor" | "factorAgeSeconds" | "keyId" | "mustChoose">;

/**
 * Whether the caller has to show a second factor before the operation. A session that was opened by a password alone may
 * call what the interface documents have, as old front ends do, unless it is dangerous or SECOND_FACTOR is "all";
 * what only the console calls, it may not.
 */
export function lacksFactor(settings: SecondFactorSettings, asking: Asking, caller: Session): boolean {
  const { own, secondFactor, choosesPassword } = asking;
  const { hasFactor, factorAgeSeconds, keyId } = caller;
  // A program has no phone: its key is narrowed to what it does, and to networks.
  if (keyId !== undefined) return false;
  if (secondFactor === "later" || (secondFactor === "first" && !hasFactor)) return false;
  // The first one is set up with a password of one's own, which nobody could choose otherwise.
  if (choosesPassword && caller.mustChoose && !hasFactor) return false;
  if (!hasFactor && !mustHaveFactor(settings, caller)) return false;
  if (factorAgeSeconds === null) return settings.SECOND_FACTOR === "all" || own === true || secondFactor !== undefined;
  return secondFactor !== undefined && factorAgeSeconds > settings.SECOND_FACTOR_MINUTES * 60;
}

/** What a console does next: nothing, have the person set one up, or have them show it. */
export type FactorState = "none" | "enrol" | "show" | "shown";

export function toFactorState(settings: SecondFactorSettings, caller: Session): FactorState {
  if (caller.keyId !== undefined) return "none";
  if (caller.hasFactor) return caller.factorAgeSeconds === null ? "show" : "shown";
  return mustHaveFactor(settings, caller) ? "enrol" : "none";
}
