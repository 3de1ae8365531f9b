import { randomInt } from "node:crypto";
import { chmod, chown, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import type { TestCertificate } from "#test/certificate.ts";
import { type Closing, makeFolder, query } from "#test/embedded-postgres/server.ts";

/** Each server has its own address in 127.0.0.0/8, with the default port; only Linux accepts them all as local. */
export const needsLinux = { skip: process.platform === "linux" ? false : "needs Linux" };

export interface NetworkOptions {
  readonly certificate?: TestCertificate;
  readonly settings?: readonly string[];
}

/**
 * Starts a PostgreSQL at a network address, as an operator would set it up. `localUrl` connects as superuser through
 * the server's Unix socket.
 */
export async function startNetworkPostgres(context: Closing, { certificate, settings = [] }: NetworkOptions = {}) {
  const host = `127.${[1, 2, 3].map(() => randomInt(1, 255)).join(".")}`;
  const folder = await makeFolder(context);
  const { administratorUrl: localUrl, stop } = await startEmbeddedPostgres({
    dataDir: folder,
    fast: true,
    settings: [`listen_addresses=${host}`, ...settings],
  });
  context.after(() => stop());
  const cluster = path.join(folder, "postgres", "cluster");
  const rules = ["local all all trust", `${certificate ? "hostssl" : "host"} all all 127.0.0.0/8 trust`];
  await writeFile(path.join(cluster, "pg_hba.conf"), `${rules.join("\n")}\n`);
  if (certificate) await useCertificate(localUrl, cluster, certificate);
  await query(localUrl, "select pg_reload_conf()");
  return { host, localUrl };
}

async function useCertificate(localUrl: string, cluster: string, { cert, key }: TestCertificate): Promise<void> {
  const { uid, gid } = await stat(cluster);
  for (const [name, content] of Object.entries({ "server.crt": cert, "server.key": key })) {
    const file = path.join(cluster, name);
    await writeFile(file, content);
    await chown(file, uid, gid);
    await chmod(file, 0o600);
  }
  await query(localUrl, "alter system set ssl = on");
}
