import { exchange, type GivenOrNone, type Parts, readData } from "#shared/call/exchange.ts";
import type { CallOptions } from "#shared/call/transport.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

// The calls of the pages for everybody, where nobody has signed in. The console has its own, which know its session.

/** Calls an operation and gives its data. @throws {CallFailure} in words for people. */
export function call<E extends Endpoint>(operation: Operation<E>, ...[given]: GivenOrNone<E>): Promise<Data<E>> {
  return callWith(operation, (given ?? {}) as Given<E>);
}

/** `call` with a signal, an ear for the progress, an idempotency key, or headers that say who calls. */
export async function callWith<E extends Endpoint>(
  operation: Operation<E>,
  given: Given<E>,
  options: CallOptions = {},
): Promise<Data<E>> {
  return readData(operation, await exchange(operation, given as Parts, options));
}
