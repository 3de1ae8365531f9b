import * as z from "zod";
import type { Caller, Duty } from "#platform/contract/caller.ts";
import { type Endpoint, type RightGroup, rightGroups } from "#platform/contract/endpoint.ts";

// A right is a group of a service's operations, such as "library.read". Null means all rights, including those that
// later versions add.

export type Rights = readonly string[] | null;

type Shape = Pick<Endpoint, "method" | "access" | "answer" | "group" | "changesAccounts">;

/**
 * Returns the endpoint's `group` or derives it from the other fields; undefined means that anyone or guests may call
 * the endpoint. Rows requested as a file count as an export.
 */
export function requiredGroup(
  { method, access, answer, group, changesAccounts }: Shape,
  asFile = false,
): RightGroup | undefined {
  if (access.who === "anyone" || access.who === "guest") return undefined;
  if (asFile && answer.as === "envelope" && answer.orFile !== undefined) return "export";
  if (group !== undefined) return group;
  if (access.who === "account") return "own";
  if (changesAccounts) return "accounts";
  if (method !== "GET") return "write";
  return answer.as === "file" && answer.streamed ? "export" : "read";
}

export const mayUse = (caller: Held, service: string, takes: RightGroup | undefined): boolean =>
  takes === undefined || takes === "own" || hasRight(caller, `${service}.${takes}`);

export const concernsAccounts = (takes: RightGroup | undefined): boolean => takes === "own" || takes === "accounts";

type Held = Pick<Caller, "rights" | "duty" | "scope">;

export const hasRight = ({ rights, duty, scope }: Held, right: string): boolean =>
  (rights === null || rights.includes(right)) &&
  (duty === undefined || toDuty(right) === duty) &&
  // A caller with a scope has none of the platform's rights except accounts, because health, alerts and the audit log
  // reveal records outside the scope.
  (scope === null || !right.startsWith("platform.") || right === "platform.accounts");

function toDuty(right: string): Duty {
  if (right.endsWith(".accounts")) return "security";
  return right.endsWith(".audit") ? "audit" : "system";
}

export const listDuties = (rights: readonly string[]): Duty[] => [...new Set(rights.map(toDuty))];

/**
 * Chooses the duty of an account when duties are separated. Unrestricted super administrators, and accounts with rights
 * of several duties, get the duty "security", which lets them separate the rights.
 */
export function chooseDuty({ rights, isSuper }: Pick<Caller, "rights" | "isSuper">): Duty {
  if (rights === null) return isSuper ? "security" : "system";
  const [duty = "system", ...more] = listDuties(rights);
  return more.length > 0 ? "security" : duty;
}

export const listRights = (services: readonly string[]): string[] =>
  services.flatMap((service) => rightGroups.map((group) => `${service}.${group}`));

export const rightsField = (services: readonly string[]) =>
  z
    .array(z.enum(listRights(services)))
    .max(200)
    .nullable()
    .describe("Groups of permitted operations; null: all operations of the role. Not in the interface documents");

export function toStoredRights(services: readonly string[], given: Rights): string[] | null {
  if (given === null) return null;
  const all = listRights(services);
  const chosen = all.filter((right) => given.includes(right));
  return chosen.length === all.length ? null : chosen;
}

export const areSameRights = (one: Rights, other: Rights): boolean =>
  one === other || (one !== null && other !== null && one.toSorted().join() === other.toSorted().join());

export const coversRights = (own: Rights, others: Rights, services: readonly string[]): boolean =>
  own === null || (others ?? listRights(services)).every((right) => own.includes(right));

/**
 * Callers may only grant rights that they have. If duties are separated, only callers with the duty "security" may
 * change accounts, and such a caller may grant any right.
 */
export const mayGrant = (
  { rights, duty }: Pick<Held, "rights" | "duty">,
  others: Rights,
  services: readonly string[],
): boolean => duty !== undefined || coversRights(rights, others, services);
