import * as z from "zod";
import type { Caller, Duty } from "#platform/contract/caller.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

// What a role may do can be narrowed to rights: a group of operations at a service, written "library.read". Null stands
// for all that the role has, also for what a later version adds.

export const rightGroups = ["read", "write", "export", "money", "accounts", "audit"] as const;
export type Rights = readonly string[] | null;

/** What an operation takes: a group of rights, or none, as it concerns the caller's own account alone. */
export type RightGroup = (typeof rightGroups)[number] | "own";

type Shape = Pick<Endpoint, "method" | "access" | "answer" | "group" | "changesAccounts">;

/**
 * What a call of the operation takes of somebody who is signed in, out of its shape where it does not say so itself;
 * undefined where nobody has to be. Rows that come as a file on demand are an export then.
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

/** Whether the caller's rights have what the service's operation takes. */
export const mayUse = (caller: Held, service: string, takes: RightGroup | undefined): boolean =>
  takes === undefined || takes === "own" || hasRight(caller, `${service}.${takes}`);

/** What concerns accounts and no records. */
export const concernsAccounts = (takes: RightGroup | undefined): boolean => takes === "own" || takes === "accounts";

type Held = Pick<Caller, "rights" | "duty" | "scope">;

export const hasRight = ({ rights, duty, scope }: Held, right: string): boolean =>
  (rights === null || rights.includes(right)) &&
  (duty === undefined || toDuty(right) === duty) &&
  // Health, alerts and the audit log tell of every record there is.
  (scope === null || !right.startsWith("platform.") || right === "platform.accounts");

function toDuty(right: string): Duty {
  if (right.endsWith(".accounts")) return "security";
  return right.endsWith(".audit") ? "audit" : "system";
}

/** Of which duties the rights are; of more than one where an account combines what it must not. */
export const listDuties = (rights: readonly string[]): Duty[] => [...new Set(rights.map(toDuty))];

/**
 * The one duty of somebody where duties are separated. Whoever is in charge without narrowed rights has that of security, and
 * so has whoever was given several: by it they are parted.
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
    .describe("What may be done where, a group of operations each; null: all that the role has. An addition");

/** As they are kept: in the order of their list, each once; null when all are given. */
export function toStoredRights(services: readonly string[], given: Rights): string[] | null {
  if (given === null) return null;
  const all = listRights(services);
  const chosen = all.filter((right) => given.includes(right));
  return chosen.length === all.length ? null : chosen;
}

export const areSameRights = (one: Rights, other: Rights): boolean =>
  one === other || (one !== null && other !== null && one.toSorted().join() === other.toSorted().join());

/** Whether somebody of such rights may give, change or take away those of another at these services: none that they lack. */
export const coversRights = (own: Rights, others: Rights, services: readonly string[]): boolean =>
  own === null || (others ?? listRights(services)).every((right) => own.includes(right));

/** The same of somebody who calls: where duties are separated, that of security gives rights of others. */
export const mayGrant = (
  { rights, duty }: Pick<Held, "rights" | "duty">,
  others: Rights,
  services: readonly string[],
): boolean => duty !== undefined || coversRights(rights, others, services);
