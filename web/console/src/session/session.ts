import { useSyncExternalStore } from "react";
import { dimensions } from "#shared/dimensions.ts";
import type { Operation } from "#shared/call/operation.ts";
import { place } from "#shared/place.ts";

export interface Session {
  readonly token: string;
  readonly accountId: number;
  readonly service: string;
  readonly userName: string;
  readonly name: string;
  readonly isSuper: boolean;
  readonly services: readonly string[];
  /** Rights such as "reporting.read"; absent or null for all rights of the role. */
  readonly rights?: readonly string[] | null | undefined;
  /** The permitted values by dimension; absent or null for all records. */
  readonly scope?: Partial<Record<string, string[]>> | null | undefined;
  /** Set under separation of duties only. */
  readonly duty?: "system" | "security" | "audit" | undefined;
  readonly expireTime: number;
  readonly endAddress?: string | null;
}

// The token is in sessionStorage, which survives a reload and ends with the tab; a new tab requests it from the others.
// localStorage would leave it on a shared computer, and a cookie would need CSRF protection on every write. The CSP
// allows only our own scripts, so scripts may read the token. The key includes the base path, since two platforms may
// share a host.
const key = `quintet.session${place.base}`;
const channel = new BroadcastChannel(key);
const listeners = new Set<() => void>();

type Message = { readonly kind: "ask" } | { readonly kind: "have"; readonly session: Session | null };

let session: Session | null = readStored();

function readStored(): Session | null {
  const text = sessionStorage.getItem(key);
  return text === null ? null : (JSON.parse(text) as Session);
}

function keep(next: Session | null): void {
  session = next;
  if (next) sessionStorage.setItem(key, JSON.stringify(next));
  else sessionStorage.removeItem(key);
  listeners.forEach((listener) => listener());
}

channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if (data.kind === "have") keep(data.session);
  else if (session) channel.postMessage({ kind: "have", session } satisfies Message);
});

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function setSession(next: Session | null): void {
  keep(next);
  channel.postMessage({ kind: "have", session: next } satisfies Message);
}

export const currentSession = (): Session | null => session;

const answerMs = 150;

export function askOtherTabs(): Promise<void> {
  if (session) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      listeners.delete(done);
      resolve();
    };
    listeners.add(done);
    setTimeout(done, answerMs);
    channel.postMessage({ kind: "ask" } satisfies Message);
  });
}

export const useSession = (): Session | null => useSyncExternalStore(onSession, () => session);

export const serves = (of: Session | null, service: string): boolean =>
  of !== null &&
  (of.service === service || (of.service === "platform" && of.services.some((name) => name === service)));

export type Judged = Pick<Operation, "who" | "service" | "method" | "takes" | "scoped">;

export const isNarrowed = (of: Session | null, service: string): boolean =>
  Object.keys(dimensions[service] ?? {}).some((name) => of?.scope?.[name]);

const isOpenToScope = (of: Session | null, { service, takes, scoped }: Judged): boolean =>
  scoped === true || takes === "own" || takes === "accounts" || !isNarrowed(of, service);

export const asFile = (operation: Judged & Pick<Operation, "asFile">): Judged => ({
  ...operation,
  ...(operation.asFile && { takes: operation.asFile }),
});

/** Repeats the server's authorization, so that forbidden actions are not offered. */
export function may(of: Session | null, operation: Judged): boolean {
  if (operation.who === "anyone") return true;
  if (operation.who === "guest") return false;
  return hasRole(of, operation) && hasRight(of, operation) && isOpenToScope(of, operation);
}

function hasRight(
  of: Session | null,
  { service, method, takes = method === "GET" ? "read" : "write" }: Judged,
): boolean {
  return !of?.rights || takes === "own" || of.rights.includes(`${service}.${takes}`);
}

function hasRole(of: Session | null, { who, service }: Judged): boolean {
  if (who === "account") return of !== null;
  if (who === "operator") return of?.service === "platform";
  return serves(of, service) && (who !== "super" || of?.isSuper === true || of?.service === "platform");
}

/** `dimension` is the scope dimension of the page's records, if the service has several dimensions. */
export type Needed = Judged & { readonly dimension?: string };

/**
 * Whether the account may open a page. Administrators of other services may not open the page, even if its
 * operation is public.
 */
export const mayOpen = (of: Session | null, needs: Needed): boolean =>
  serves(of, needs.service) && may(of, needs) && isOpenToScope(of, needs) && hasDimension(of, needs);

const hasDimension = (of: Session | null, { service, dimension }: Needed): boolean =>
  dimension === undefined || !isNarrowed(of, service) || of?.scope?.[dimension] !== undefined;

export function useMay(): (operation: Judged) => boolean {
  const of = useSession();
  return (operation) => may(of, operation);
}
