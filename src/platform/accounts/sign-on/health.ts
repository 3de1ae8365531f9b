import { setTimeout as delay } from "node:timers/promises";
import { singleFlight } from "#platform/contract/single-flight.ts";
import type { Part } from "#platform/process/health.ts";
import { SignOnFailure, type SignOnProvider } from "#platform/sign-on/index.ts";

// However often health is read, a process asks each provider at most once in 30 seconds.
const freshMs = 30_000;
const patienceMs = 1500;
const title = { zh: "统一身份认证", en: "Campus sign-on" };

/** If a check takes longer than `patienceMs`, a later reading reports its result. */
export function watchSignOns(providers: readonly SignOnProvider[]): () => Promise<Part> {
  const tell = (error: unknown) => (error instanceof SignOnFailure ? error.message : "not readable");
  const looks = providers.map(
    (one) => [one.kind, singleFlight(() => one.reach().then(() => null, tell), freshMs)] as const,
  );
  return async () => {
    const figures = looks.map(async ([kind, look]) => {
      const failure = await Promise.race([look(), delay(patienceMs, undefined, { ref: false })]);
      const isReached = failure === undefined ? null : failure === null;
      return { [`${kind}Reached`]: isReached, ...(failure && { [`${kind}Failure`]: failure }) };
    });
    return { name: "sign-on", title, figures: Object.assign({}, ...(await Promise.all(figures))) };
  };
}
