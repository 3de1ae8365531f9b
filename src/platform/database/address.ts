import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";

/** The part of a connection's options that says whom to trust. */
export type DatabaseTls = Pick<ConnectionOptions, "rejectUnauthorized" | "ca" | "checkServerIdentity">;

export interface DatabaseAddress {
  /** Without what we read ourselves: the driver reads `sslmode` in another way than PostgreSQL's tools do. */
  readonly url: string;
  /** Left out, the connections are in plain. */
  readonly tls?: DatabaseTls;
}

/** The modes of PostgreSQL's own tools without `allow` and `prefer`, which anybody on the way can turn into `disable`. */
const modes = ["disable", "require", "verify-ca", "verify-full"] as const;

const own = ["sslmode", "sslrootcert"] as const;

/**
 * Reads the address of a PostgreSQL. `sslmode` is one of `modes` (left out: disable), `sslrootcert` a file with the
 * certificates to trust in place of the well-known ones. Sockets of the file system are always in plain.
 * @throws {Error} one line for the operator, without the address.
 */
export function readDatabaseAddress(address: string): DatabaseAddress {
  if (/^postgres(?:ql)?:\/\/(?:[^@/?]*@)?[^/?]*,/s.test(address))
    throw new Error("must name one host: in front of several stands a proxy, such as HAProxy");
  if (!/^postgres(?:ql)?:\/\//.test(address) || !URL.canParse(address))
    throw new Error("must be an address that starts with postgres:// or postgresql://");
  const url = new URL(address);
  const tls = readTls(url.searchParams);
  // An address without what is ours stays as it is to the letter.
  if (!own.some((name) => url.searchParams.has(name))) return { url: address };
  for (const name of own) url.searchParams.delete(name);
  return { url: url.href, ...(tls ? { tls } : {}) };
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
