// The baseline of accepting a push without loss: node:http, node-postgres and one committed INSERT per request.
import http from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";

interface PushBody {
  readonly app_key: string;
  readonly school_code: string;
  readonly event: string;
  readonly raw_data: string;
}

const pool = new pg.Pool({
  connectionString: process.env["DATABASE_URL"] ?? "",
  max: Number(process.env["DATABASE_POOL"] ?? 10),
  idleTimeoutMillis: 0,
});
await pool.query(`
  create table if not exists push_relay.bench_inbox (
    id bigint generated always as identity primary key, app_key text not null, school_code text not null,
    event text not null, raw_data text not null, received_at timestamptz not null default now())`);

async function keep(body: string): Promise<void> {
  const { app_key, school_code, event, raw_data } = JSON.parse(body) as PushBody;
  await pool.query({
    name: "keep",
    text: "insert into push_relay.bench_inbox (app_key, school_code, event, raw_data) values ($1, $2, $3, $4)",
    values: [app_key, school_code, event, raw_data],
  });
}

const server = http.createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (body += chunk));
  request.on("end", () => {
    keep(body).then(
      () => response.writeHead(200, { "content-type": "application/json" }).end('{"code":0,"message":"ok"}'),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
});
server.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once("SIGTERM", () => process.exit(0));
