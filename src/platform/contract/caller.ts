import type { Scope } from "#platform/contract/scope.ts";

/** Duties that no account may combine where they are separated. */
export type Duty = "system" | "security" | "audit";

/** An authenticated caller. Operators have the service "platform". */
export interface Caller {
  /** 0 for an access key. */
  readonly sessionId: number;
  /** Set when the call carried an access key. */
  readonly keyId?: number;
  readonly accountId: number;
  readonly service: string;
  readonly userName: string;
  readonly name: string;
  readonly isSuper: boolean;
  /** Services that an operator manages; null for all. */
  readonly services: readonly string[] | null;
  /** Rights that restrict the role, such as "library.read"; null for all of it. */
  readonly rights: readonly string[] | null;
  /** Records that the caller may see. */
  readonly scope: Scope;
  /** The caller's only duty, where duties are separated. */
  readonly duty?: Duty;
  readonly hasFactor: boolean;
  /** Time since the session verified its second factor; null if it did not. */
  readonly factorAgeSeconds: number | null;
  /** The session was opened with a password set by somebody else, by a client that can change it. */
  readonly mustChoose: boolean;
}

export const isOperator = ({ service }: Pick<Caller, "service">): boolean => service === "platform";

/** Whether the caller is an administrator of the service or an operator of it; every operator serves the platform. */
export const mayServe = (caller: Caller, service: string): boolean =>
  caller.service === service || (isOperator(caller) && (caller.services === null || caller.services.includes(service)));

/** Whether an operator sees a service's alerts and notices; the platform's require all services. */
export const seesOf = ({ services }: Pick<Caller, "services">, service: string): boolean =>
  services === null || services.includes(service);
