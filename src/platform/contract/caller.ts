import type { Scope } from "#platform/contract/scope.ts";

/** Where duties are separated, no account may combine two of them. */
export type Duty = "system" | "security" | "audit";

/** An operator has the service "platform". */
export interface Caller {
  /** The id is 0 for an access key. */
  readonly sessionId: number;
  readonly keyId?: number;
  readonly accountId: number;
  readonly service: string;
  readonly userName: string;
  readonly name: string;
  readonly isSuper: boolean;
  /** Null stands for all services; only operators manage several. */
  readonly services: readonly string[] | null;
  /** Rights such as "library.read" restrict the role; null stands for all of it. */
  readonly rights: readonly string[] | null;
  readonly scope: Scope;
  /** The duty is set only where duties are separated. */
  readonly duty?: Duty;
  readonly hasFactor: boolean;
  /** The age is null if the session has not verified a second factor. */
  readonly factorAgeSeconds: number | null;
  /** Somebody else set the password that opened the session, and the client can change it. */
  readonly mustChoose: boolean;
}

export const isOperator = ({ service }: Pick<Caller, "service">): boolean => service === "platform";

export const mayServe = (caller: Caller, service: string): boolean =>
  caller.service === service || (isOperator(caller) && (caller.services === null || caller.services.includes(service)));

/** Only operators of all services see the platform's alerts and notices. */
export const seesOf = ({ services }: Pick<Caller, "services">, service: string): boolean =>
  services === null || services.includes(service);
