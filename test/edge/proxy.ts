import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { until } from "#test/until.ts";

export const needsNginx = {
  skip: spawnSync("nginx", ["-v"]).status === 0 ? false : "nginx is not installed",
};

const configure = (folder: string, port: number, target: string): string => `
daemon off; pid ${folder}/pid; error_log ${folder}/error.log crit; worker_processes 1;
events { worker_connections 256; }
http {
  log_format tries '$upstream_addr|$uri';
  access_log ${folder}/access.log tries;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((what) => `${what}_temp_path ${folder}/${what};`).join(" ")}
  upstream quintet { server ${target}; keepalive 8; }
  server {
    listen 127.0.0.1:${port};
    underscores_in_headers on; client_max_body_size 210m; client_header_timeout 5s; client_body_timeout 5s;
    location / {
      proxy_pass http://quintet; proxy_http_version 1.1;
      proxy_set_header Connection ""; proxy_set_header Host $http_host;
      proxy_buffering off; proxy_request_buffering off; proxy_connect_timeout 3s;
    }
  }
}`;

/** Ports that nobody has at the moment. */
export async function findPorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

/** Starts an nginx in front of a server, set as deploy/nginx.conf.template sets it, but without TLS. */
export async function startProxy(target: string) {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-proxy-"));
  const [port = 0] = await findPorts(1);
  const configuration = path.join(folder, "nginx.conf");
  await writeFile(configuration, configure(folder, port, new URL(target).host));
  const child = spawn("nginx", ["-e", path.join(folder, "error.log"), "-c", configuration], { stdio: "ignore" });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(url)
      .then(() => true)
      .catch(() => false);
  await until("nginx answers", isUp, { everyMs: 20 });
  let asked = 0;
  return {
    url,
    /** The paths that it has handed on until now, as often as it tried to; everything before is among them. */
    async listHandedOn(): Promise<string[]> {
      // Its lines come in the order in which requests end: once this one has its line, all before have theirs.
      const mark = `/livez/mark-${++asked}`;
      await fetch(url + mark);
      const readWhole = async () => {
        const lines = (await readFile(path.join(folder, "access.log"), "utf8")).split("\n");
        return lines.some((line) => line.endsWith(`|${mark}`)) && lines.flatMap(listTries);
      };
      return until("nginx has logged the mark", readWhole, { everyMs: 5 });
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `-` was never handed on; of two addresses the first was tried in vain. */
function listTries(line: string): string[] {
  const [addresses = "-", uri = ""] = line.split("|");
  return addresses === "" || addresses === "-" ? [] : addresses.split(", ").map(() => uri);
}
