import { coversRights, listRights, type Rights } from "#platform/contract/rights.ts";
import type { Period } from "#platform/contract/times.ts";

// Inside, the services of an operator are a list, or null for all; on the wire they are always a list.

type Services = readonly string[] | null;

/** All of those that there are mean unrestricted: without repetition, in the order of the listing. */
export function toStoredServices(all: readonly string[], given: readonly string[]): string[] | null {
  const chosen = all.filter((name) => given.includes(name));
  return chosen.length === all.length ? null : chosen;
}

export const toWireServices = (all: readonly string[], stored: Services): string[] =>
  all.filter((name) => stored === null || stored.includes(name));

export const areSameServices = (all: readonly string[], one: Services, other: Services): boolean =>
  toWireServices(all, one).join() === toWireServices(all, other).join();

/** The services at which an operator can have rights: those that he runs, and the platform. */
export const listPlaces = (all: readonly string[], services: Services): string[] => [
  "platform",
  ...toWireServices(all, services),
];

/** What somebody may do where: the services that they run, and the rights to which that is narrowed. */
export interface Powers {
  readonly services: Services;
  readonly rights: Rights;
}

/**
 * Whether an operator of some services may make, change or remove one of others. Without this rule an operator of one
 * service could run all, by making an operator or by setting the password of one.
 */
export const mayManage = (all: readonly string[], own: Powers, others: Powers): boolean =>
  (own.services === null ||
    (others.services !== null && others.services.every((name) => own.services?.includes(name)))) &&
  coversRights(own.rights, others.rights, listPlaces(all, others.services));

/** Each once, in the order of their list. */
export const toOrderedRights = (all: readonly string[], given: readonly string[]): string[] =>
  listRights(["platform", ...all]).filter((right) => given.includes(right));

/** Whether such an operator has all of these rights. */
export const hasRightsOf = (
  all: readonly string[],
  { services, rights }: Powers,
  given: readonly string[],
): boolean => {
  const places = listRights(listPlaces(all, services));
  return given.every((right) => places.includes(right) && (rights === null || rights.includes(right)));
};

/** Whether such an operator may end a session of that account: of one whom the operator may manage. */
export const mayEndSession = (
  all: readonly string[],
  own: Powers,
  { service, services, rights }: Powers & { readonly service: string },
): boolean =>
  service === "platform"
    ? mayManage(all, own, { services, rights })
    : mayManage(all, { ...own, rights: null }, { services: [service], rights }) &&
      coversRights(own.rights, rights, [service]);

/** A span of time whose ends may be open. */
export interface Span {
  readonly start: Date | undefined;
  readonly end: Date | undefined;
}

export interface SplitSpan {
  /** What consists of whole hours, when there is any. */
  readonly whole: Span | undefined;
  /** What is left before and after it: none, one or two pieces, each shorter than two hours. */
  readonly edges: readonly Period[];
}

const hourMs = 3_600_000;

/** Splits a span (end exclusive) at the hours of UTC, by which the audit log is tallied. */
export function splitAtHours({ start, end }: Span): SplitSpan {
  if (start && end && start >= end) return { whole: undefined, edges: [] };
  const wholeStart = start && new Date(Math.ceil(start.getTime() / hourMs) * hourMs);
  const wholeEnd = end && new Date(Math.floor(end.getTime() / hourMs) * hourMs);
  if (start && end && wholeStart && wholeEnd && wholeStart >= wholeEnd)
    return { whole: undefined, edges: [{ start, end }] };
  const edges: Period[] = [];
  if (start && wholeStart && start < wholeStart) edges.push({ start, end: wholeStart });
  if (end && wholeEnd && wholeEnd < end) edges.push({ start: wholeEnd, end });
  return { whole: { start: wholeStart, end: wholeEnd }, edges };
}

/** A span of whole hours as the whole months of UTC in it, by which the log is tallied as well, and what stands around them. */
export function splitAtMonths(whole: Span | undefined): { months: Span | undefined; hours: readonly Span[] } {
  if (!whole) return { months: undefined, hours: [] };
  const { start, end } = whole;
  const first = start && toMonth(new Date(start.getTime() - 1), 1);
  const last = end && toMonth(end, 0);
  if (first && last && first >= last) return { months: undefined, hours: [whole] };
  const hours: Span[] = [];
  if (start && first && start < first) hours.push({ start, end: first });
  if (end && last && last < end) hours.push({ start: last, end });
  return { months: { start: first, end: last }, hours };
}

/** The beginning of the instant's month, or of so many later. */
function toMonth(instant: Date, later: number): Date {
  const month = new Date(instant);
  month.setUTCHours(0, 0, 0, 0);
  month.setUTCMonth(month.getUTCMonth() + later, 1);
  return month;
}
