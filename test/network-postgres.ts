import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmod, chown, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { openConnection } from "#platform/database/index.ts";
import { type Closing, findPostgres, makeFolder, query, signalAll } from "#test/embedded-postgres/server.ts";
import type { TestCertificate } from "#test/certificate.ts";

/** Every address of 127.0.0.0/8 is this machine's on Linux alone, so each server has the usual port at one of its own. */
export const needsLinux = { skip: process.platform === "linux" ? false : "needs Linux" };

/** A PostgreSQL at an address of the network, as an operator would run it. */
export interface NetworkPostgres {
  readonly host: string;
  /** At its socket, past all that is set up for the network, as its superuser. */
  readonly localUrl: string;
  readonly dataDir: string;
  stop(): Promise<void>;
  /** From now on no standby gets anything of it. */
  cutOffStandbys(): Promise<void>;
  /** Ends it as a power cut would, and nothing starts it again. */
  crash(): Promise<void>;
}

export interface NetworkOptions {
  readonly host?: string;
  readonly dataDir?: string;
  /** With which it speaks TLS, and refuses whoever does not. */
  readonly certificate?: TestCertificate;
  readonly settings?: readonly string[];
}

export async function startNetworkPostgres(
  context: Closing,
  {
    host = `127.${[1, 2, 3].map(() => randomInt(1, 255)).join(".")}`,
    dataDir,
    certificate,
    settings = [],
  }: NetworkOptions = {},
): Promise<NetworkPostgres> {
  const folder = dataDir ?? (await makeFolder(context));
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    fast: true,
    settings: [`listen_addresses=${host}`, ...settings],
  });
  context.after(() => server.stop());
  const kind = certificate ? "hostssl" : "host";
  const rules = ["local all all trust", `${kind} all all 127.0.0.0/8 trust`];
  const cluster = clusterOf(folder);
  const admit = (more: readonly string[]) =>
    writeFile(path.join(cluster, "pg_hba.conf"), `${[...rules, ...more].join("\n")}\n`);
  await admit(["host replication all 127.0.0.0/8 trust"]);
  if (certificate) await useCertificate(server.administratorUrl, cluster, certificate);
  await query(server.administratorUrl, "select pg_reload_conf()");
  const localUrl = server.administratorUrl;
  return {
    host,
    localUrl,
    dataDir: folder,
    stop: server.stop,
    async crash() {
      const all = await findPostgres(folder);
      // Its keeper would start it again at once, unless it finds nothing to start.
      await rename(cluster, `${cluster}.away`);
      signalAll(all, "SIGKILL");
      await server.stop();
      await rename(`${cluster}.away`, cluster);
    },
    async cutOffStandbys() {
      await admit([]);
      await query(localUrl, "select pg_reload_conf()");
      const end = "select pg_terminate_backend(pid) from pg_stat_replication";
      while ((await query(localUrl, end)).length > 0);
    },
  };
}

const clusterOf = (dataDir: string): string => path.join(dataDir, "postgres", "cluster");

async function useCertificate(localUrl: string, cluster: string, { cert, key }: TestCertificate): Promise<void> {
  for (const [name, content] of Object.entries({ "server.crt": cert, "server.key": key })) {
    await writeOwned(path.join(cluster, name), content, cluster);
    await chmod(path.join(cluster, name), 0o600);
  }
  await query(localUrl, "alter system set ssl = on");
}

/** Starts a standby on a copy of a server that goes on meanwhile, and resolves when it follows. */
export async function startStreamingStandby(
  context: Closing,
  of: NetworkPostgres,
  settings: readonly string[] = [],
): Promise<NetworkPostgres> {
  const dataDir = await makeFolder(context);
  await mkdir(path.join(dataDir, "postgres"));
  const [from, to] = [clusterOf(of.dataDir), clusterOf(dataDir)];
  const session = await openConnection(of.localUrl, { answerMs: 60_000 });
  await session.query("select pg_backup_start('copy', true)");
  // A file that vanishes meanwhile is no fault: what replaces it is in the log.
  spawnSync("cp", ["-a", from, to]);
  const { rows } = await session.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
  await session.end();
  await rm(path.join(to, "postmaster.pid"), { force: true });
  await writeOwned(path.join(to, "backup_label"), rows[0]?.labelfile ?? "", from);
  await writeFile(path.join(to, "standby.signal"), "");
  const follow = `primary_conninfo=host=${of.host} port=5432 user=quintet`;
  const standby = await startNetworkPostgres(context, { dataDir, settings: [follow, ...settings] });
  const follows = "select from pg_stat_replication where state = 'streaming'";
  while ((await query(of.localUrl, follows)).length === 0);
  return standby;
}

async function writeOwned(file: string, text: string, like: string): Promise<void> {
  const { uid, gid } = await stat(like);
  await writeFile(file, text);
  await chown(file, uid, gid);
}
