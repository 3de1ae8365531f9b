import { refuseGiven } from "#platform/accounts/given-password.ts";
import { lacksFactor } from "#platform/accounts/second-factor/rules.ts";
import type { Caller } from "#platform/contract/caller.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { GivenPasswordSettings } from "#platform/contract/password-settings.ts";
import { Problem } from "#platform/contract/problem.ts";
import type { SecondFactorSettings } from "#platform/contract/second-factor-settings.ts";

/**
 * Refuses an operation to a session for which something has to be done first.
 * @throws {Problem} passwordGiven, factorNeeded
 */
export function refuseUnmetRequirements(
  settings: GivenPasswordSettings & SecondFactorSettings,
  operation: Pick<Endpoint, "own" | "secondFactor" | "choosesPassword">,
  caller: Caller,
): void {
  refuseGiven(settings, operation, caller);
  if (lacksFactor(settings, operation, caller)) throw new Problem("factorNeeded");
}
