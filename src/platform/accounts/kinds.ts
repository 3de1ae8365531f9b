import { serviceAccounts } from "#platform/accounts/access-key-store.ts";
import { areSameRights, coversRights, listRights, type Rights, toStoredRights } from "#platform/contract/rights.ts";

// Who has an account: the administrators of a service, the operators of the platform, and service accounts, which programs
// call as. Everything about them is done alike (manage-accounts.ts), but for what stands here.

// Inside, the services of an operator are a list, or null for all; on the wire they are always a list.
type Services = readonly string[] | null;

/** What somebody may do where: the services that they run, and the rights to which that is narrowed. */
export interface Powers {
  readonly services: Services;
  readonly rights: Rights;
}

/** What of it a request names. */
export type GivenPowers = { readonly [P in keyof Powers]?: Powers[P] | undefined };

export interface AccountKind {
  /** What their rows have for their service. */
  readonly service: string;
  readonly password: "needed" | "optional" | "none";
  /** What is stored of the powers that are given; those that are not are the standard's. */
  readonly toPowers: (given: GivenPowers, standard: Powers) => Powers;
  /** Whether somebody may make, change or remove one of such powers: nobody gives more than they have. */
  readonly mayManage: (own: Powers, others: Powers) => boolean;
}

const either = <T>(given: T | undefined, standard: T): T => (given === undefined ? standard : given);

export const administratorsOf = (service: string, password: "needed" | "optional" = "optional"): AccountKind => ({
  service,
  password,
  toPowers: ({ rights }, standard) => ({
    services: null,
    rights: toStoredRights([service], either(rights, standard.rights)),
  }),
  mayManage: (own, others) => runs(own, [service]) && coversRights(own.rights, others.rights, [service]),
});

/** @param all the services that there are */
export const operatorsOf = (all: readonly string[]): AccountKind => ({
  service: "platform",
  password: "needed",
  // Rights at a service that is no longer run go with it.
  toPowers: (given, standard) => {
    const services = toStoredServices(all, either(given.services, standard.services));
    return { services, rights: toStoredRights(listPlaces(all, services), either(given.rights, standard.rights)) };
  },
  // Without this rule an operator of one service could run all, by making an operator or by setting the password of one.
  mayManage: (own, others) =>
    runs(own, others.services) && coversRights(own.rights, others.rights, listPlaces(all, others.services)),
});

export const serviceAccountsOf = (all: readonly string[]): AccountKind => ({
  service: serviceAccounts,
  password: "none",
  toPowers: ({ rights }, standard) => {
    const given = either(rights, standard.rights) ?? [];
    return { services: null, rights: listRights(["platform", ...all]).filter((right) => given.includes(right)) };
  },
  mayManage: (own, { rights }) => coversRights(listOwnRights(all, own), rights, []),
});

/** Whether an operator may manage that account, of whichever kind, and so end its sessions. */
export const mayManageAccount = (
  all: readonly string[],
  own: Powers,
  account: Powers & { readonly service: string },
): boolean =>
  (account.service === "platform" ? operatorsOf(all) : administratorsOf(account.service)).mayManage(own, account);

/** Whether somebody runs these services, null for all of them. */
const runs = (own: Powers, services: Services): boolean =>
  own.services === null || (services?.every((name) => own.services?.includes(name)) ?? false);

const listOwnRights = (all: readonly string[], { services, rights }: Powers): string[] =>
  listRights(listPlaces(all, services)).filter((right) => rights === null || rights.includes(right));

/** All of those that there are mean unrestricted: without repetition, in the order of the listing. */
export function toStoredServices(all: readonly string[], given: Services): string[] | null {
  const chosen = toWireServices(all, given);
  return chosen.length === all.length ? null : chosen;
}

export const toWireServices = (all: readonly string[], stored: Services): string[] =>
  all.filter((name) => stored === null || stored.includes(name));

/** The services at which an operator can have rights: those that he runs, and the platform. */
const listPlaces = (all: readonly string[], services: Services): string[] => [
  "platform",
  ...toWireServices(all, services),
];

export const areSamePowers = (one: Powers, other: Powers): boolean =>
  areSameRights(one.services, other.services) && areSameRights(one.rights, other.rights);
