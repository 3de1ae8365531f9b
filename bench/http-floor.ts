// The least server that can do the same: node:http, postgres.js, the statements given by the parent, and nothing else.
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import postgres from "postgres";

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
const sql = postgres(options.url, {
  max: options.connections,
  types: { bytea: { to: 17, from: [17], serialize: String, parse: String } },
});

// What the operation sends between begin and commit has to stay on one connection here too.
const begin = options.statements.findIndex(({ text }) => text.startsWith("begin"));
const outside = begin < 0 ? options.statements : options.statements.slice(0, begin);
const inside = begin < 0 ? [] : options.statements.slice(begin + 1).filter(({ text }) => text !== "commit");

// Without `simple: false` a statement without values would be planned anew each time.
const prepared = { prepare: true, simple: false } as postgres.UnsafeQueryOptions;

type Runner = postgres.Sql | postgres.TransactionSql;

async function runAll(runner: Runner, statements: readonly Statement[]): Promise<unknown> {
  let rows: unknown;
  for (const { text, values } of statements) rows = await runner.unsafe(text, [...values], prepared);
  return rows;
}

async function answer(): Promise<unknown> {
  const rows = await runAll(sql, outside);
  return inside.length === 0 ? rows : sql.begin((tx) => runAll(tx, inside));
}

/** What PostgreSQL gave as JSON already is put in as it is. */
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
