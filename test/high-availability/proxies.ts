import { chmod, mkdir, writeFile } from "node:fs/promises";
import { listens } from "#test/fail-over/pgbouncer.ts";
import { until } from "#test/until.ts";
import type { ClusterOptions } from "./cluster.ts";
import { startProgram } from "./programs.ts";

/**
 * Starts HAProxy, which asks Patroni for the leader and cuts connections to other nodes. Returns the function that
 * stops HAProxy.
 */
export async function startHaproxy({ ground, tools, folder, ports }: ClusterOptions) {
  const servers = ground.hosts.map(
    (host, place) => `  server node-${place} ${host}:${ports.postgres} check port ${ports.rest}\n`,
  );
  const config = `global
  maxconn 500
defaults
  mode tcp
  timeout connect 4s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${ports.haproxy}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 3 rise 2 on-marked-down shutdown-sessions
${servers.join("")}`;
  await writeFile(`${folder}/haproxy.cfg`, config);
  const end = startProgram([tools.haproxy, "-f", `${folder}/haproxy.cfg`, "-db"], `${folder}/haproxy.log`);
  await until("HAProxy listens", () => listens("127.0.0.1", ports.haproxy));
  return end;
}

/**
 * Starts PgBouncer, which connects to HAProxy, since PgBouncer does not know the leader. Returns the function that
 * stops PgBouncer.
 */
export async function startPgbouncer({ tools, folder, ports }: ClusterOptions) {
  const socket = `${folder}/pgbouncer`;
  await mkdir(socket);
  await chmod(socket, 0o777);
  const config = `[databases]
* = host=127.0.0.1 port=${ports.haproxy}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ports.pgbouncer}
unix_socket_dir = ${socket}
auth_type = trust
auth_file = ${folder}/pgbouncer-users.txt
pool_mode = transaction
default_pool_size = 20
server_login_retry = 1
query_wait_timeout = 20
ignore_startup_parameters = extra_float_digits,statement_timeout,lock_timeout,idle_in_transaction_session_timeout
`;
  await writeFile(`${folder}/pgbouncer-users.txt`, '"quintet_server" ""\n');
  await writeFile(`${folder}/pgbouncer.ini`, config);
  const end = startProgram([tools.pgbouncer, `${folder}/pgbouncer.ini`], `${folder}/pgbouncer.log`);
  await until("PgBouncer listens", () => listens("127.0.0.1", ports.pgbouncer));
  return end;
}
