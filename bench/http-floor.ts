// The baseline is a minimal server on node:http and node-postgres. For each request, it runs the statements that its
// parent has given.
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";

export interface Statement {
  readonly text: string;
  readonly values: readonly string[];
}

export interface FloorOptions {
  readonly url: string;
  readonly connections: number;
  readonly statements: readonly Statement[];
}

const [options] = (await once(process, "message")) as [FloorOptions];
const pool = new pg.Pool({ connectionString: options.url, max: options.connections, idleTimeoutMillis: 0 });

// The statements from `begin` on must share a connection.
const begin = options.statements.findIndex(({ text }) => text.startsWith("begin"));
const outside = begin < 0 ? options.statements : options.statements.slice(0, begin);
const inside = begin < 0 ? [] : options.statements.slice(begin);

// As in the platform, begin and commit are not prepared statements.
const toQuery = ({ text, values }: Statement, index: number): pg.QueryConfig =>
  /^(?:begin|commit)/.test(text) ? { text } : { name: `floor_${index}`, text, values: [...values] };
const before = outside.map(toQuery);
const within = inside.map((statement, index) => toQuery(statement, outside.length + index));

async function runAll(queries: readonly pg.QueryConfig[]): Promise<unknown[]> {
  const client = await pool.connect();
  try {
    let rows: unknown[] = [];
    for (const query of queries) rows = (await client.query(query)).rows;
    return rows;
  } finally {
    client.release();
  }
}

async function answer(): Promise<unknown> {
  let rows: unknown[] = [];
  for (const query of before) rows = await runAll([query]);
  return within.length === 0 ? rows : runAll(within);
}

function toBody(rows: readonly { readonly json?: unknown }[]): string {
  const [row] = rows;
  if (typeof row?.json === "string") return `{"success":true,"message":"","code":"0","data":${row.json}}`;
  return JSON.stringify({ success: true, message: "", code: "0", data: rows });
}

const server = http.createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (body += chunk));
  request.on("end", () => {
    if (body !== "") JSON.parse(body);
    answer().then(
      (rows) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(toBody(rows as readonly { readonly json?: unknown }[])),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
});
server.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once("SIGTERM", () => process.exit(0));
