import { accessSync, constants } from "node:fs";

/** libpq's modes `allow` and `prefer` are not supported, because an attacker can downgrade them to `disable`. */
const modes = ["disable", "require", "verify-ca", "verify-full"];

/**
 * Returns the address in the driver's form. Its `sslmode` must be one of `modes`, by default disable; `sslrootcert` is
 * a file of trusted certificates.
 * @throws {Error} for an invalid address; the message is for the administrator and does not contain the address
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
