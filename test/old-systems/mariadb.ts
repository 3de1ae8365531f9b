import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { promisify } from "node:util";
import { until } from "#test/until.ts";

const run = promisify(execFile);
const programs = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const find = (name: string): string | undefined =>
  programs.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
const server = find("mariadbd");
const clientProgram = find("mariadb") ?? "";

export const withMariadb = { skip: server === undefined && "there is no mariadbd on this machine" };
export const oldUser = { user: "reader", password: "p'ass wörd" };

export interface Mariadb {
  readonly port: number;
  readonly address: (database: string) => string;
  readonly query: (sql: string, database?: string) => Promise<string>;
  readonly load: (database: string, dump: string) => Promise<void>;
  readonly dump: (database: string, file: string) => Promise<void>;
}

const refuse = () => Promise.reject(new Error("There is no MariaDB."));
const absent: Mariadb = { port: 0, address: () => "", query: refuse, load: refuse, dump: refuse };

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

/**
 * Starts a MariaDB server, which is killed after the tests of the file. Tests that use the server are marked
 * `withMariadb`, since MariaDB may not be installed.
 */
export async function startMariadb(): Promise<Mariadb> {
  if (server === undefined) return absent;
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-mariadb-"));
  const data = path.join(folder, "data");
  const own = ["--no-defaults", `--user=${userInfo().username}`, `--datadir=${data}`];
  await run("mariadb-install-db", [...own, "--auth-root-authentication-method=normal", "--skip-test-db"]);
  const port = await findFreePort();
  const socket = path.join(folder, "s");
  const place = [`--socket=${socket}`, `--port=${port}`, "--bind-address=127.0.0.1"];
  const quick = [
    "--skip-log-bin",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-log-file-size=256M",
    "--sql-mode=ALLOW_INVALID_DATES",
  ];
  const child = spawn(server ?? "", [...own, ...place, ...quick], { stdio: "ignore" });
  after(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
    await rm(folder, { recursive: true });
  });
  const client = ["--no-defaults", `--socket=${socket}`, "--user=root", "--default-character-set=utf8mb4"];
  const query = async (sql: string, database = "mysql"): Promise<string> =>
    (await run(clientProgram, [...client, "--batch", "--skip-column-names", database, "--execute", sql])).stdout.trim();
  await until("MariaDB answers", () =>
    query("select 1").then(
      () => true,
      () => false,
    ),
  );
  await query(
    `create user ${oldUser.user} identified by '${oldUser.password.replace("'", "''")}'; grant select on *.* to ${oldUser.user}`,
  );
  return {
    port,
    address: (database) => `mysql://${oldUser.user}@127.0.0.1:${port}/${database}`,
    query,
    async load(database, dump) {
      await query(`drop database if exists \`${database}\`; create database \`${database}\` character set utf8mb4`);
      const loading = spawn(clientProgram, [...client, database], { stdio: ["pipe", "ignore", "inherit"] });
      createReadStream(dump).pipe(loading.stdin);
      const [code] = await once(loading, "exit");
      if (code !== 0) throw new Error(`MariaDB does not take ${dump}.`);
    },
    async dump(database, file) {
      await run("mariadb-dump", [...client, `--result-file=${file}`, database]);
    },
  };
}
