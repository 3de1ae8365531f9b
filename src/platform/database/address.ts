import { accessSync, constants } from "node:fs";
import type { Db } from "./db.ts";
import type { Pool } from "./pool.ts";

/** libpq's modes `allow` and `prefer` are missing, because an attacker can downgrade them to `disable`. */
const modes = ["disable", "require", "verify-ca", "verify-full"];

/**
 * `sslmode` is one of `modes`, by default disable; `sslrootcert` is a file of trusted certificates.
 * @throws {Error} one line for the administrator, without the URL
 */
export function readDatabaseAddress(address: string): string {
  if (/^postgres(?:ql)?:\/\/(?:[^@/?]*@)?[^/?]*,/s.test(address))
    throw new Error("must name one host: use a proxy such as HAProxy for several");
  if (!/^postgres(?:ql)?:\/\//.test(address) || !URL.canParse(address))
    throw new Error("must be a URL starting with postgres:// or postgresql://");
  const url = new URL(address);
  const { searchParams } = url;
  if (searchParams.has("ssl")) throw new Error(`must use sslmode instead of ssl, one of ${modes.join(", ")}`);
  const [mode, file] = [searchParams.get("sslmode"), searchParams.get("sslrootcert")];
  if (mode !== null && !modes.includes(mode)) throw new Error(`sslmode must be one of ${modes.join(", ")}`);
  if (file !== null && (mode ?? "disable") === "disable") throw new Error("sslrootcert requires sslmode");
  if (file === null && mode === "verify-ca") throw new Error("sslmode=verify-ca requires sslrootcert");
  try {
    if (file !== null) accessSync(file, constants.R_OK);
  } catch {
    throw new Error("sslrootcert must be a readable file");
  }
  if (mode === null) return address;
  const host = decodeURIComponent(searchParams.get("host") ?? url.hostname);
  if (host.startsWith("/")) for (const name of ["sslmode", "sslrootcert"]) searchParams.delete(name);
  // Without this parameter the driver interprets `sslmode` differently from libpq.
  else searchParams.set("uselibpqcompat", "true");
  return url.href;
}

/**
 * Compares the database of the pooler with that of the separate URL for sessions.
 * @returns warnings
 * @throws {Error} if the URLs lead to different databases, which would split the data
 */
export async function reviewAddresses(pool: Pool): Promise<string[]> {
  if (!pool.isShared) return [];
  const session = await pool.reserve();
  try {
    const [through, past] = await Promise.all([identifyDatabase(pool), identifyDatabase(session)]);
    if (through.place !== past.place)
      throw new Error("DATABASE_DIRECT_URL and DATABASE_URL lead to different databases");
    return through.isUnlimited
      ? ["statements through DATABASE_URL have no time limit: set a statement_timeout for its role"]
      : [];
  } finally {
    session.release();
  }
}

async function identifyDatabase(db: Db) {
  const [found] = await db<{ place: string; isUnlimited: boolean }[]>`
    select system_identifier || '/' || current_database() as place, current_setting('statement_timeout') = '0' as "isUnlimited"
    from pg_control_system()`;
  if (!found) throw new Error("the database did not identify itself");
  return found;
}
