/** Somebody with a valid token. Operators have the service "platform". */
export interface Caller {
  readonly sessionId: number;
  readonly accountId: number;
  readonly service: string;
  readonly userName: string;
  readonly name: string;
  readonly isSuper: boolean;
  /** The services that an operator runs; null for all. */
  readonly services: readonly string[] | null;
}

export const isOperator = (caller: Caller): boolean => caller.service === "platform";

/** Whether the caller is an administrator of the service, or an operator who runs it; every operator runs the platform. */
export const mayServe = (caller: Caller, service: string): boolean =>
  caller.service === service || (isOperator(caller) && (caller.services === null || caller.services.includes(service)));
