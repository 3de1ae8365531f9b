import { chmod, mkdir, writeFile } from "node:fs/promises";
import { listens } from "#test/fail-over/pgbouncer.ts";
import { until } from "#test/until.ts";
import type { Cluster } from "./cluster.ts";
import { type Started, startProgram } from "./processes.ts";
import type { Tools } from "./tools.ts";

// What stands between servers and PostgreSQL in many houses.

/** HAProxy, which asks Patroni who leads and cuts off those who are at somebody else. */
export async function startHaproxy(cluster: Cluster, tools: Tools, folder: string, port: number): Promise<Started> {
  const { ground, ports } = cluster;
  const servers = ground.hosts.map(
    (host, place) => `  server node-${place} ${host}:${ports.postgres} check port ${ports.rest}`,
  );
  const config = [
    "global",
    "  maxconn 500",
    "defaults",
    "  mode tcp",
    "  timeout connect 4s",
    "  timeout client 30m",
    "  timeout server 30m",
    "  timeout check 2s",
    "listen primary",
    `  bind 127.0.0.1:${port}`,
    "  option httpchk GET /primary",
    "  http-check expect status 200",
    "  default-server inter 1s fall 3 rise 2 on-marked-down shutdown-sessions",
    ...servers,
  ];
  await writeFile(`${folder}/haproxy.cfg`, `${config.join("\n")}\n`);
  const started = startProgram([tools.haproxy, "-f", `${folder}/haproxy.cfg`, "-db"], `${folder}/haproxy.log`);
  await until("HAProxy listens", () => listens("127.0.0.1", port));
  return started;
}

/** PgBouncer in transaction mode in front of HAProxy: it does not know by itself who leads. */
export async function startPgbouncer(
  tools: Tools,
  folder: string,
  { haproxy, pgbouncer }: Record<"haproxy" | "pgbouncer", number>,
): Promise<Started> {
  const socket = `${folder}/pgbouncer`;
  await mkdir(socket, { recursive: true });
  await chmod(socket, 0o777);
  const config = [
    "[databases]",
    `* = host=127.0.0.1 port=${haproxy}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${pgbouncer}`,
    `unix_socket_dir = ${socket}`,
    "auth_type = trust",
    `auth_file = ${folder}/pgbouncer-users.txt`,
    "pool_mode = transaction",
    "default_pool_size = 20",
    "server_login_retry = 1",
    "query_wait_timeout = 20",
    "ignore_startup_parameters = extra_float_digits,statement_timeout,lock_timeout,idle_in_transaction_session_timeout",
  ];
  await writeFile(`${folder}/pgbouncer-users.txt`, '"quintet_server" ""\n');
  await writeFile(`${folder}/pgbouncer.ini`, `${config.join("\n")}\n`);
  const started = startProgram([tools.pgbouncer, `${folder}/pgbouncer.ini`], `${folder}/pgbouncer.log`);
  await until("PgBouncer listens", () => listens("127.0.0.1", pgbouncer));
  return started;
}
