import { currentSession } from "#console/session/session.ts";
import { isAttended } from "#console/session/attended.ts";
import { askForFactor } from "#console/session/second-factor/step-up.ts";
import { askToSignIn } from "#console/session/sign-in-again.ts";
import {
  exchange,
  type Exchange,
  type GivenOrNone,
  hasSucceeded,
  isTokenRefused,
  type Parts,
  readData,
  toFailure,
} from "#shared/call/exchange.ts";
import type { CallOptions as AnyCallOptions } from "#shared/call/transport.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

export interface CallOptions extends Omit<AnyCallOptions, "headers"> {
  readonly token?: string;
}

/**
 * If the token has expired, or the account needs a second factor or a new password, asks the user on the same page
 * and repeats the call. @throws {CallFailure} with a user-facing message
 */
export function call<E extends Endpoint>(operation: Operation<E>, ...[given]: GivenOrNone<E>): Promise<Data<E>> {
  return callWith(operation, (given ?? {}) as Given<E>);
}

export async function callWith<E extends Endpoint>(
  operation: Operation<E>,
  given: Given<E>,
  options: CallOptions = {},
): Promise<Data<E>> {
  return readData(operation, await exchangeSignedIn(operation, given as Parts, options));
}

interface Downloaded {
  readonly blob: Blob;
  readonly fileName: string;
}

async function fetchFile(operation: Operation, given: Parts, options: CallOptions = {}): Promise<Downloaded> {
  const { answer } = await exchangeSignedIn(operation, given, options);
  const fileName = toFileName(answer.headers.get("content-disposition")) ?? operation.name;
  return { blob: answer.body, fileName };
}

export function toFileName(disposition: string | null): string | undefined {
  const [, encoded, plain] = /filename\*=UTF-8''([^;]+)|filename="([^"]*)"/i.exec(disposition ?? "") ?? [];
  return encoded ? decodeURIComponent(encoded) : plain;
}

export async function download<E extends Endpoint>(
  operation: Operation<E>,
  given: Partial<Given<E>>,
  options: CallOptions = {},
): Promise<void> {
  const { blob, fileName } = await fetchFile(operation, given, options);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function exchangeSignedIn(operation: Operation, parts: Parts, options: CallOptions): Promise<Exchange> {
  for (;;) {
    const token = options.token ?? currentSession()?.token;
    const headers = {
      ...(token !== undefined && { "admin-token": token }),
      ...(!isAttended() && { "x-unattended": "1" }),
    };
    const exchanged = await exchange(operation, parts, { ...options, headers });
    if (hasSucceeded(exchanged)) return exchanged;
    if (token === undefined || options.token !== undefined) throw toFailure(exchanged);
    const code = exchanged.envelope?.code;
    if (code === factorNeeded && (await askForFactor(options.signal))) continue;
    if (!isTokenRefused(operation, code) && code !== passwordGiven) throw toFailure(exchanged);
    // The user may have signed in for another call meanwhile.
    if (currentSession()?.token === token) await askToSignIn(options.signal);
  }
}

// Failures are recognised by their code and not by the status, which STATUS_STYLE can set to 200. All services use the
// same two codes.

export const factorNeeded = "20011";

const passwordGiven = "20013";
