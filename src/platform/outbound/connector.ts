import { constants } from "node:crypto";
import type { LookupAddress, LookupOptions } from "node:dns";
import dns from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { buildConnector } from "undici";
import { singleFlight } from "#platform/contract/single-flight.ts";
import { openSemaphore } from "#platform/jobs/semaphore.ts";
import { type AddressRule, isRefusedLiteral } from "./addresses.ts";

export class RefusedAddress extends Error {
  readonly code = "REFUSED_ADDRESS";
}

/**
 * Returns the addresses of a host name.
 * @throws {Error} if the name has no address
 */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface ConnectorOptions {
  readonly isAllowed: AddressRule;
  readonly resolve: ResolveName;
  readonly timeoutMs: number;
  /** Some servers support only legacy TLS renegotiation, which OpenSSL 3 refuses by default. */
  readonly allowsLegacyTls?: boolean;
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Each connection resolves the name once and connects to the checked address, which prevents DNS rebinding. TLS still
 * verifies the name.
 */
export function openConnector(options: ConnectorOptions): buildConnector.connector {
  const { isAllowed, resolve, timeoutMs, allowsLegacyTls = false } = options;
  const lookup = (name: string, { all }: LookupOptions, callback: LookupCallback): void => {
    const answer = (addresses: readonly string[]): void => {
      const found = addresses.filter(isAllowed).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      const [first] = found;
      if (first === undefined) callback(new RefusedAddress("address not allowed"), []);
      else if (all) callback(null, found);
      else callback(null, first.address, first.family);
    };
    resolve(name).then(
      (addresses) => process.nextTick(answer, addresses),
      (error: Error) => process.nextTick(callback, error, []),
    );
  };
  const tls = allowsLegacyTls ? { secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT } : {};
  const connect = buildConnector({ lookup, timeout: timeoutMs, allowH2: false, autoSelectFamily: true, ...tls });
  return (to, callback) => {
    if (isRefusedLiteral(to.hostname, isAllowed))
      process.nextTick(() => callback(new RefusedAddress("address not allowed"), null));
    else connect(to, callback);
  };
}

const hostsFile = "/etc/hosts";
const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
const systemLookups = openSemaphore({ permits: 1 });
const unknownToServers: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED", "EBADNAME"]);

/**
 * Looks in the hosts file, then in DNS, and then asks the system resolver, which knows search domains. A call of the
 * system resolver blocks one of libuv's four threads for up to half a minute, so only one runs at a time, and only if
 * DNS does not know the name or refuses the connection.
 */
export const resolveName: ResolveName = singleFlight(async (name) => {
  const fromFile = await readHosts(name);
  if (fromFile.length > 0) return fromFile;
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const failure =
    answers.find((answer) => answer.status === "rejected")?.reason ?? new Error("the host name has no address");
  if (!unknownToServers.has((failure as NodeJS.ErrnoException).code)) throw failure;
  return systemLookups.run(async () => (await dns.lookup(name, { all: true })).map(({ address }) => address));
});

async function readHosts(name: string): Promise<string[]> {
  const text = await readFile(hostsFile, "utf8").catch(() => "");
  const wanted = name.toLowerCase();
  return text
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim().split(/\s+/))
    .filter(([address = "", ...names]) => isIP(address) !== 0 && names.some((one) => one.toLowerCase() === wanted))
    .map(([address = ""]) => address);
}
