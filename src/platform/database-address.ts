import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";

/** The part of a connection's options that says whom to trust. */
export type DatabaseTls = Pick<ConnectionOptions, "rejectUnauthorized" | "ca" | "checkServerIdentity">;

export interface DatabaseAddress {
  /** Without what is about TLS: the drivers read `sslmode` each in their own way, and none as PostgreSQL's tools do. */
  readonly url: string;
  /** Left out, the connection is in plain. */
  readonly tls?: DatabaseTls;
}

/** The modes of PostgreSQL's own tools without `allow` and `prefer`, which anybody on the way can turn into `disable`. */
const modes = ["disable", "require", "verify-ca", "verify-full"] as const;

/**
 * Reads the address of a PostgreSQL: `sslmode` is one of `modes` (left out: disable), `sslrootcert` a file with the
 * certificates to trust in place of the well-known ones. Sockets of the file system are always in plain.
 * @throws {Error} one line for the operator, without the address.
 */
export function readDatabaseAddress(address: string): DatabaseAddress {
  if (!/^postgres(?:ql)?:\/\//.test(address) || !URL.canParse(address))
    throw new Error("must be an address that starts with postgres:// or postgresql://");
  const url = new URL(address);
  if (url.hostname.includes(",")) throw new Error("must name one server");
  if (url.searchParams.has("ssl")) throw new Error(`must say sslmode in place of ssl, one of ${modes.join(", ")}`);
  const mode = modes.find((known) => known === (url.searchParams.get("sslmode") ?? "disable"));
  if (!mode) throw new Error(`must have as sslmode one of ${modes.join(", ")}`);
  const file = url.searchParams.get("sslrootcert");
  const rest = dropParameters(url, address);
  if (mode !== "disable") return { url: rest, tls: toTls(mode, file) };
  if (file !== null) throw new Error("must not have sslrootcert without sslmode");
  return { url: rest };
}

/** The same for node-postgres, whatever its environment says. */
export function toPgConfig(address: string): { readonly connectionString: string; readonly ssl: DatabaseTls | false } {
  const { url, tls } = readDatabaseAddress(address);
  return { connectionString: url, ssl: tls ?? false };
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

/** An address that says nothing of TLS stays as it is to the letter. */
function dropParameters(url: URL, address: string): string {
  if (!url.searchParams.has("sslmode")) return address;
  url.searchParams.delete("sslmode");
  url.searchParams.delete("sslrootcert");
  return url.href;
}
