import { accessSync, constants } from "node:fs";
import type { Db } from "./db.ts";
import type { Pool } from "./pool.ts";

/** The modes of PostgreSQL's own tools without `allow` and `prefer`, which anybody on the way can turn into `disable`. */
const modes = ["disable", "require", "verify-ca", "verify-full"];

/**
 * The address of a PostgreSQL as the driver takes it. `sslmode` is one of `modes` (left out: disable), `sslrootcert` a file with
 * the certificates to trust in place of the well-known ones.
 * @throws {Error} one line for the operator, without the address.
 */
export function readDatabaseAddress(address: string): string {
  if (/^postgres(?:ql)?:\/\/(?:[^@/?]*@)?[^/?]*,/s.test(address))
    throw new Error("must name one host: in front of several stands a proxy, such as HAProxy");
  if (!/^postgres(?:ql)?:\/\//.test(address) || !URL.canParse(address))
    throw new Error("must be an address that starts with postgres:// or postgresql://");
  const url = new URL(address);
  const { searchParams } = url;
  if (searchParams.has("ssl")) throw new Error(`must say sslmode in place of ssl, one of ${modes.join(", ")}`);
  const [mode, file] = [searchParams.get("sslmode"), searchParams.get("sslrootcert")];
  if (mode !== null && !modes.includes(mode)) throw new Error(`must have as sslmode one of ${modes.join(", ")}`);
  if (file !== null && (mode ?? "disable") === "disable") throw new Error("must not have sslrootcert without sslmode");
  if (file === null && mode === "verify-ca") throw new Error("must have sslrootcert where sslmode is verify-ca");
  try {
    if (file !== null) accessSync(file, constants.R_OK);
  } catch {
    throw new Error("must have as sslrootcert a file that can be read");
  }
  // An address without what is ours stays as it is to the letter.
  if (mode === null) return address;
  const host = decodeURIComponent(searchParams.get("host") ?? url.hostname);
  // A socket of the file system is always in plain.
  if (host.startsWith("/")) for (const name of ["sslmode", "sslrootcert"]) searchParams.delete(name);
  // Else the driver reads `sslmode` in another way than PostgreSQL's tools do.
  else searchParams.set("uselibpqcompat", "true");
  return url.href;
}

/**
 * Looks at a database that has another address for sessions. @returns what somebody should look after, a line each.
 * @throws {Error} for the operator, when it is another database: part of what is written would be nowhere.
 */
export async function reviewAddresses(pool: Pool): Promise<string[]> {
  if (!pool.isShared) return [];
  const session = await pool.reserve();
  try {
    const [through, past] = await Promise.all([identifyDatabase(pool), identifyDatabase(session)]);
    if (through.place !== past.place)
      throw new Error("DATABASE_DIRECT_URL leads to another database than DATABASE_URL");
    return through.isUnlimited
      ? ["through DATABASE_URL a single statement may take for ever: give its role a statement_timeout"]
      : [];
  } finally {
    session.release();
  }
}

async function identifyDatabase(db: Db) {
  const [found] = await db<{ place: string; isUnlimited: boolean }[]>`
    select system_identifier || '/' || current_database() as place, current_setting('statement_timeout') = '0' as "isUnlimited"
    from pg_control_system()`;
  if (!found) throw new Error("the database does not say which it is");
  return found;
}
