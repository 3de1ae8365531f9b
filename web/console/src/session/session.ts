import { useSyncExternalStore } from "react";
import { dimensions } from "#shared/dimensions.ts";
import type { Operation } from "#shared/call/operation.ts";
import { place } from "#shared/place.ts";

/** Who is signed in: an operator (service "platform") or the administrator of one service. */
export interface Session {
  readonly token: string;
  readonly accountId: number;
  readonly service: string;
  readonly userName: string;
  readonly name: string;
  readonly isSuper: boolean;
  readonly services: readonly string[];
  /** To what the role is narrowed, such as "library.read"; left out or null: all that it has. */
  readonly rights?: readonly string[] | null | undefined;
  /** Where duties are separated: the only one that the session has. */
  /** Of each dimension that it names, the values that a record must have; left out or null: all records. */
  readonly scope?: Partial<Record<string, string[]>> | null | undefined;
  readonly duty?: "system" | "security" | "audit" | undefined;
  readonly expireTime: number;
  /** Where one goes to sign out of the campus too, once one has signed on by it. */
  readonly endAddress?: string | null;
}

// The token is in sessionStorage: it outlives a reload and ends with the tab. A new tab asks the others for it, so that
// a link opened beside the list needs no second sign-in; when the last tab has gone, so has the token. localStorage
// would leave it on a shared machine; a cookie would be sent by itself, and every write would need a guard against
// other sites. No script but our own runs here (see the policy), so scripts may see it.
// Two platforms may stand beside one another on one host.
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

/** Has the listener told of every sign-in and sign-out, in whichever tab; the result ends it. */
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

/** Resolves when it is known whether another tab is signed in. */
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

/** Whether the account sees some of the service's records alone. */
export const isNarrowed = (of: Session | null, service: string): boolean =>
  Object.keys(dimensions[service] ?? {}).some((name) => of?.scope?.[name]);

const isOpenToScope = (of: Session | null, { service, takes, scoped }: Judged): boolean =>
  scoped === true || takes === "own" || takes === "accounts" || !isNarrowed(of, service);

/** Rows that come as a workbook on demand: what asking for that takes. */
export const asFile = (operation: Judged & Pick<Operation, "asFile">): Judged => ({
  ...operation,
  ...(operation.asFile && { takes: operation.asFile }),
});

/** Whether the session may call the operation, as the server will judge it: what one may not do is not offered. */
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

/** What a page needs; `dimension`: of its records, where others of the service have another. */
export type Needed = Judged & { readonly dimension?: string };

/** Whether a page is offered: reads that are open to anyone do not make it a page for the administrators of another service. */
export const mayOpen = (of: Session | null, needs: Needed): boolean =>
  serves(of, needs.service) && may(of, needs) && isOpenToScope(of, needs) && hasDimension(of, needs);

const hasDimension = (of: Session | null, { service, dimension }: Needed): boolean =>
  dimension === undefined || !isNarrowed(of, service) || of?.scope?.[dimension] !== undefined;

export function useMay(): (operation: Judged) => boolean {
  const of = useSession();
  return (operation) => may(of, operation);
}
