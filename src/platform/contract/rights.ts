import * as z from "zod";
import type { Caller } from "#platform/contract/caller.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

// What a role may do can be narrowed to rights: a group of operations at a service, written "library.read". Null stands
// for all that the role has, also for what a later version adds.

export const rightGroups = ["read", "write", "export", "money"] as const;
export type Rights = readonly string[] | null;

/** What an operation takes: a group of rights, or none, as it concerns the caller's own account alone. */
export type Takes = (typeof rightGroups)[number] | "own";

/**
 * What a call of the operation takes of somebody who is signed in, out of its shape where it does not say so itself;
 * undefined where nobody has to be. Rows that come as a file on demand are an export then.
 */
export function takenBy(
  { method, access, answer, group }: Pick<Endpoint, "method" | "access" | "answer" | "group">,
  asFile = false,
): Takes | undefined {
  if (access.who === "anyone" || access.who === "guest") return undefined;
  if (asFile && answer.as === "envelope" && answer.orFile !== undefined) return "export";
  if (group !== undefined) return group;
  if (access.who === "account") return "own";
  if (method !== "GET") return "write";
  return answer.as === "file" && answer.streamed ? "export" : "read";
}

/** Whether the caller's rights have what the service's operation takes. */
export const mayTake = ({ rights }: Pick<Caller, "rights">, service: string, takes: Takes | undefined): boolean =>
  rights === null || takes === undefined || takes === "own" || rights.includes(`${service}.${takes}`);

/** Every right at these services. */
export const listRights = (services: readonly string[]): string[] =>
  services.flatMap((service) => rightGroups.map((group) => `${service}.${group}`));

/** Rights at these services, as a field. */
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
