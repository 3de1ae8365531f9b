import { call } from "#shared/call/exchange.ts";
import { reporting } from "#shared/api/reporting.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { place } from "#shared/place.ts";
import { useCallback, useEffect, useState } from "react";

// The submitter is identified by a token for this tab, which is valid for two hours. The server never reveals the
// messaging platform's own identifier of the submitter.

const key = `quintet.submitter${place.base}`;
const codeNames = ["code", "wxcode"];

export interface Submitter {
  readonly token: string;
  readonly phone: string | null;
}

interface Told {
  readonly hasPlatform: boolean;
  /** The sign-in address with a `{return}` placeholder; null if the messaging platform itself opens the page. */
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

/** The header's name has no underscores, since many proxies drop headers with underscores. */
export const submitterHeaders = (submitter: Submitter | undefined): Record<string, string> =>
  submitter ? { "report-openid-token": submitter.token } : {};

export const isSignedOut = (failure: unknown): boolean =>
  failure instanceof CallFailure && (failure.code === "10006" || failure.code === "10012");

const codeOf = (search: URLSearchParams): string | undefined =>
  codeNames.map((name) => search.get(name)).find((code) => code !== null && code !== "") ?? undefined;

const bringsCode = (): boolean => codeOf(new URLSearchParams(location.search)) !== undefined;

/**
 * Exchanges the messaging platform's single-use code and removes it from the address first, so that a copied link does
 * not carry it. @throws {CallFailure} 10007 when the code is used up or wrong
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
    // If storage is blocked, the token lasts as long as the page.
  }
  return submitter;
}

export const toSignIn = (): string | undefined =>
  told.signIn?.replace("{return}", encodeURIComponent(location.origin + location.pathname)) ?? undefined;

export interface SignedIn {
  readonly current: Submitter | undefined;
  readonly forget: () => void;
}

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
    // After a rejected code the report can still be submitted, anonymously.
    signIn().catch(forget);
  }, [welcome, forget]);
  return { current, forget };
}
