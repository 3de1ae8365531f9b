import type { Scope } from "#platform/contract/scope.ts";

/** Where duties are separated, an account can use the rights of one duty only. */
export type Duty = "system" | "security" | "audit";

/**
 * A signed-in administrator or operator, or a program with an access key. Operators and programs have the service
 * "platform".
 */
export interface Caller {
  /** 0 if the caller uses an access key. */
  readonly sessionId: number;
  readonly keyId?: number;
  readonly accountId: number;
  readonly service: string;
  readonly userName: string;
  readonly name: string;
  readonly isSuper: boolean;
  /**
   * The services that an operator or program may manage, with null for all. An administrator has null, which grants
   * nothing beyond the administrator's own service.
   */
  readonly services: readonly string[] | null;
  /** Rights such as "library.read", to which the account is restricted; null means all rights. */
  readonly rights: readonly string[] | null;
  readonly scope: Scope;
  readonly duty?: Duty;
  readonly hasFactor: boolean;
  /** The time since the session verified a second factor; null if it never did. */
  readonly factorAgeSeconds: number | null;
  /** Whether the session was opened with a password set by somebody else, in a client that can change it. */
  readonly mustChoose: boolean;
}

export const isOperator = ({ service }: Pick<Caller, "service">): boolean => service === "platform";

export const mayServe = (caller: Caller, service: string): boolean =>
  caller.service === service || (isOperator(caller) && (caller.services === null || caller.services.includes(service)));

/** `services` never contains "platform", so only callers with all services see what belongs to the platform. */
export const seesOf = ({ services }: Pick<Caller, "services">, service: string): boolean =>
  services === null || services.includes(service);
