import { call } from "#shared/call/exchange.ts";
import { reporting } from "#shared/api/reporting.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { place } from "#shared/place.ts";
import { useCallback, useEffect, useState } from "react";

// Who submits, where the messaging platform has told: a token that stands for them until this tab is closed, for two hours
// at most. Who they are there, the server keeps to itself.

const key = `quintet.submitter${place.base}`;
// The campus platform calls its code by a name of its own.
const codeNames = ["code", "wxcode"];

export interface Submitter {
  readonly token: string;
  readonly phone: string | null;
}

interface Told {
  readonly hasPlatform: boolean;
  /** Where a person signs in, with `{return}` for the address to come back to; null where the platform opens the page. */
  readonly signIn: string | null;
}

export const told = place.told as Told;

export function currentSubmitter(): Submitter | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? "null") as Submitter | null) ?? undefined;
  } catch {
    return undefined;
  }
}

export function forgetSubmitter(): void {
  sessionStorage.removeItem(key);
}

/** What a call carries that is the submitter's. Not with underscores, which many proxies drop. */
export const submitterHeaders = (submitter: Submitter | undefined): Record<string, string> =>
  submitter ? { "report-openid-token": submitter.token } : {};

export const isSignedOut = (failure: unknown): boolean =>
  failure instanceof CallFailure && (failure.code === "10006" || failure.code === "10012");

const codeOf = (search: URLSearchParams): string | undefined =>
  codeNames.map((name) => search.get(name)).find((code) => code !== null && code !== "") ?? undefined;

/** Whether the messaging platform has sent a person here, with the code that says who they are. */
const bringsCode = (): boolean => codeOf(new URLSearchParams(location.search)) !== undefined;

/**
 * Exchanges the code that the messaging platform sent along. It leaves the address at once: it is good for one time, and
 * who copies the address must not pass it on.
 * @throws {CallFailure} 10007 when it is used up or wrong.
 */
export async function signInByCode(): Promise<Submitter | undefined> {
  const address = new URL(location.href);
  const code = codeOf(address.searchParams);
  if (code === undefined) return currentSubmitter();
  for (const name of [...codeNames, "state"]) address.searchParams.delete(name);
  history.replaceState(history.state, "", address);
  const submitter = await call(reporting.openSession, { body: { code } });
  try {
    sessionStorage.setItem(key, JSON.stringify(submitter));
  } catch {
    // Then it lasts as long as the page.
  }
  return submitter;
}

/** Where to sign in, to come back to this page; undefined where nobody can be led there. */
export const toSignIn = (): string | undefined =>
  told.signIn?.replace("{return}", encodeURIComponent(location.origin + location.pathname)) ?? undefined;

export interface SignedIn {
  readonly current: Submitter | undefined;
  readonly forget: () => void;
}

/** Who submits: of the code that came along, or of an earlier page of this tab. `welcome` is told whom the code stands for. */
export function useSubmitter(welcome: (submitter: Submitter) => void): SignedIn {
  const [current, setCurrent] = useState(currentSubmitter);
  const forget = useCallback(() => setCurrent(undefined), []);
  useEffect(() => {
    if (!bringsCode()) return;
    const signIn = async () => {
      const submitter = await signInByCode();
      setCurrent(submitter);
      if (submitter) welcome(submitter);
    };
    // A code that is worth nothing keeps nobody from registering: the report then has no submitter that is known.
    signIn().catch(forget);
  }, [welcome, forget]);
  return { current, forget };
}
