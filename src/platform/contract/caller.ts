import type { Scope } from "#platform/contract/scope.ts";

/** What no account combines where duties are separated: the upkeep of everything, accounts and what they may, the audit log. */
export type Duty = "system" | "security" | "audit";

/** Somebody with a valid token. Operators have the service "platform". */
export interface Caller {
  /** 0 of one who shows an access key. */
  readonly sessionId: number;
  /** Of the access key that was shown in place of a session's token. */
  readonly keyId?: number;
  readonly accountId: number;
  readonly service: string;
  readonly userName: string;
  readonly name: string;
  readonly isSuper: boolean;
  /** The services that an operator runs; null for all. */
  readonly services: readonly string[] | null;
  /** To what the role is narrowed, such as "library.read"; null for all that it has. */
  readonly rights: readonly string[] | null;
  /** To which records. */
  readonly scope: Scope;
  /** Where duties are separated: the only one that the caller has. */
  readonly duty?: Duty;
  readonly hasFactor: boolean;
  /** How long ago the session last showed it; null: it was opened by a password alone. */
  readonly factorAgeSeconds: number | null;
  /** The session was opened with a password that somebody else has set, by a client that can have another chosen. */
  readonly mustChoose: boolean;
}

export const isOperator = ({ service }: Pick<Caller, "service">): boolean => service === "platform";

/** Whether the caller is an administrator of the service, or an operator who runs it; every operator runs the platform. */
export const mayServe = (caller: Caller, service: string): boolean =>
  caller.service === service || (isOperator(caller) && (caller.services === null || caller.services.includes(service)));

/** Whether an operator sees what is told of the service; of the platform itself, whoever runs every service. */
export const seesOf = ({ services }: Pick<Caller, "services">, service: string): boolean =>
  services === null || services.includes(service);
