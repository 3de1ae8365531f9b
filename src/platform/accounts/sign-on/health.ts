import { setTimeout as delay } from "node:timers/promises";
import type { Part } from "#platform/process/health.ts";
import { SignOnFailure, type SignOnProvider } from "#platform/sign-on/index.ts";

// The page of health asks every five seconds, of every process: the providers are asked far less often.
const freshMs = 30_000;
const patienceMs = 1500;
const title = { zh: "统一身份认证", en: "Campus sign-on" };

interface Look {
  readonly atMs: number;
  /** Null: reached. */
  readonly failure: string | null;
}

/** Whether the providers are reached. Without them whoever has a password gets in. */
export function watchSignOns(providers: readonly SignOnProvider[]): () => Promise<Part> {
  const watches = providers.map((provider) => [provider.kind, watch(provider)] as const);
  return async () => {
    const looks = await Promise.all(watches.map(async ([kind, look]) => [kind, await look()] as const));
    const figures = looks.flatMap(([kind, look]) => [
      [`${kind}Reached`, look === undefined ? null : look.failure === null],
      ...(look?.failure ? [[`${kind}Failure`, look.failure]] : []),
    ]);
    return { name: "sign-on", title, figures: Object.fromEntries(figures) };
  };
}

/** The last look, a new one where it is old; what takes long is told of the next time. */
function watch(provider: SignOnProvider): () => Promise<Look | undefined> {
  let last: Look | undefined;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const failure = await provider.reach().then(
      () => null,
      (error: unknown) => (error instanceof SignOnFailure ? error.message : "not readable"),
    );
    last = { atMs: Date.now(), failure };
  };
  return async () => {
    if (last && Date.now() - last.atMs < freshMs) return last;
    looking ??= look().finally(() => (looking = undefined));
    await Promise.race([looking, delay(patienceMs, undefined, { ref: false })]);
    return last;
  };
}
