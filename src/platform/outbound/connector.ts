import type { LookupAddress, LookupOptions } from "node:dns";
import { buildConnector } from "undici";
import type { AddressRule } from "./addresses.ts";
import type { ResolveName } from "./names.ts";
import { isRefusedLiteral } from "./target.ts";

/** A connection was not made because of where it would have gone. */
export class RefusedAddress extends Error {
  readonly code = "REFUSED_ADDRESS";
}

export interface ConnectorOptions {
  readonly isAllowed: AddressRule;
  readonly resolve: ResolveName;
  readonly timeoutMs: number;
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Makes connections to allowed addresses only. A name is resolved once, here, and what was checked is what is connected
 * to, so that it cannot mean another address a moment later; TLS still asks for the certificate of the name.
 */
export function openConnector({ isAllowed, resolve, timeoutMs }: ConnectorOptions): buildConnector.connector {
  const lookup = (name: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(name).then(
      (addresses) => process.nextTick(answerLookup, addresses.filter(isAllowed), options, callback),
      (error: Error) => process.nextTick(callback, error, []),
    );
  };
  const connect = buildConnector({ lookup, timeout: timeoutMs, allowH2: false, autoSelectFamily: true });
  return (options, callback) => {
    if (isRefusedLiteral(options.hostname, isAllowed))
      process.nextTick(() => callback(new RefusedAddress("address not allowed"), null));
    else connect(options, callback);
  };
}

function answerLookup(addresses: readonly string[], { all }: LookupOptions, callback: LookupCallback): void {
  const [first] = addresses;
  if (first === undefined) return callback(new RefusedAddress("address not allowed"), []);
  const familyOf = (address: string) => (address.includes(":") ? 6 : 4);
  if (all)
    callback(
      null,
      addresses.map((address) => ({ address, family: familyOf(address) })),
    );
  else callback(null, first, familyOf(first));
}
