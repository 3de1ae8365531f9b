import { call } from "#shared/call/exchange.ts";
import { reporting } from "#shared/api/reporting.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { place } from "#shared/place.ts";
import { useCallback, useEffect, useState } from "react";

// The submitter known from the messaging platform: a per-tab token valid for up to two hours. The server never reveals
// the platform's identifier.

const key = `quintet.submitter${place.base}`;
const codeNames = ["code", "wxcode"];

export interface Submitter {
  readonly token: string;
  readonly phone: string | null;
}

interface Told {
  readonly hasPlatform: boolean;
  /** The sign-in address with a `{return}` placeholder; null if the platform itself opens the page. */
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

/** The submitter's header. Its name has no underscores, which many proxies drop. */
export const submitterHeaders = (submitter: Submitter | undefined): Record<string, string> =>
  submitter ? { "report-openid-token": submitter.token } : {};

export const isSignedOut = (failure: unknown): boolean =>
  failure instanceof CallFailure && (failure.code === "10006" || failure.code === "10012");

const codeOf = (search: URLSearchParams): string | undefined =>
  codeNames.map((name) => search.get(name)).find((code) => code !== null && code !== "") ?? undefined;

const bringsCode = (): boolean => codeOf(new URLSearchParams(location.search)) !== undefined;

/**
 * Exchanges the single-use code of the messaging platform. The code is removed from the address at once, so that a
 * copied link does not carry it.
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
    // Storage may be blocked; the token then lives as long as the page.
  }
  return submitter;
}

/** The sign-in address that returns to this page; undefined if the platform offers none. */
export const toSignIn = (): string | undefined =>
  told.signIn?.replace("{return}", encodeURIComponent(location.origin + location.pathname)) ?? undefined;

export interface SignedIn {
  readonly current: Submitter | undefined;
  readonly forget: () => void;
}

/** The submitter from the address's code or from this tab's storage. `welcome` receives the one of a fresh code. */
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
    // A rejected code does not block registration: the report is then anonymous.
    signIn().catch(forget);
  }, [welcome, forget]);
  return { current, forget };
}
