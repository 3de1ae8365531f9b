import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";

/** The part of a connection's options that says whom to trust. */
export type DatabaseTls = Pick<ConnectionOptions, "rejectUnauthorized" | "ca" | "checkServerIdentity">;

export interface DatabaseAddress {
  /**
   * One for each host, in the order in which they are tried; without what we read ourselves: the driver knows one host,
   * and reads `sslmode` in another way than PostgreSQL's tools do.
   */
  readonly urls: readonly [string, ...string[]];
  /** Left out, the connections are in plain. */
  readonly tls?: DatabaseTls;
  /** Of the hosts only the one will do that takes writes. */
  readonly mustWrite: boolean;
}

/** The modes of PostgreSQL's own tools without `allow` and `prefer`, which anybody on the way can turn into `disable`. */
const modes = ["disable", "require", "verify-ca", "verify-full"] as const;

/** Scheme, who logs in, hosts, and the rest. A URL with several hosts is none to Node. */
const form = /^(postgres(?:ql)?:\/\/)((?:[^@/?]*@)?)([^/?]*)(.*)$/s;

/**
 * Reads the address of a PostgreSQL. Several hosts stand with commas between, each with a port of its own; then
 * `target_session_attrs` is read-write unless it says any. `sslmode` is one of `modes` (left out: disable),
 * `sslrootcert` a file with the certificates to trust in place of the well-known ones. Sockets of the file system are
 * always in plain.
 * @throws {Error} one line for the operator, without the address.
 */
export function readDatabaseAddress(address: string): DatabaseAddress {
  const [, scheme = "", login = "", hosts = "", rest = ""] = form.exec(address) ?? [];
  const [first = "", ...others] = hosts.split(",").map((host) => `${scheme}${login}${host}${rest}`);
  if (scheme === "" || ![first, ...others].every((url) => URL.canParse(url)))
    throw new Error("must be an address that starts with postgres:// or postgresql://");
  if (others.length > 0 && hosts.split(",").includes("")) throw new Error("must name a host between the commas");
  const { searchParams } = new URL(first);
  const tls = readTls(searchParams);
  const mustWrite = readTarget(searchParams, others.length > 0);
  return { urls: [dropOwn(first), ...others.map(dropOwn)], mustWrite, ...(tls ? { tls } : {}) };
}

function readTarget(parameters: URLSearchParams, isOneOfSeveral: boolean): boolean {
  const target = parameters.get("target_session_attrs") ?? (isOneOfSeveral ? "read-write" : "any");
  if (target !== "read-write" && target !== "any")
    throw new Error("must have as target_session_attrs one of read-write, any");
  return target === "read-write";
}

function readTls(parameters: URLSearchParams): DatabaseTls | undefined {
  if (parameters.has("ssl")) throw new Error(`must say sslmode in place of ssl, one of ${modes.join(", ")}`);
  const mode = modes.find((known) => known === (parameters.get("sslmode") ?? "disable"));
  if (!mode) throw new Error(`must have as sslmode one of ${modes.join(", ")}`);
  const file = parameters.get("sslrootcert");
  if (mode !== "disable") return toTls(mode, file);
  if (file !== null) throw new Error("must not have sslrootcert without sslmode");
  return undefined;
}

function toTls(mode: Exclude<(typeof modes)[number], "disable">, file: string | null): DatabaseTls {
  const known = file === null ? {} : { ca: readCertificates(file) };
  if (mode === "verify-full") return { ...known, rejectUnauthorized: true };
  const anyName = { checkServerIdentity: () => undefined };
  return { ...known, ...anyName, rejectUnauthorized: mode === "verify-ca" || file !== null };
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error("must have as sslrootcert a file that can be read", { cause });
  }
}

const own = ["sslmode", "sslrootcert", "target_session_attrs"] as const;

/** An address without what is ours stays as it is to the letter. */
function dropOwn(address: string): string {
  const url = new URL(address);
  if (!own.some((name) => url.searchParams.has(name))) return address;
  for (const name of own) url.searchParams.delete(name);
  return url.href;
}
