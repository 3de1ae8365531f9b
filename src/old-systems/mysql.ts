import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { createConnection } from "mysql2";
import type { Connection, QueryOptions } from "mysql2";
import {
  type Block,
  type BlockPlan,
  idsInBlock,
  type OldReader,
  type OldTable,
  type OldTables,
  type OldValue,
  type Selection,
  toReason,
} from "./old-tables.ts";

export interface OldServer {
  readonly address: ReturnType<typeof readAddress>;
  readonly password: string;
  readonly ca?: string | undefined;
  readonly withoutTls?: boolean | undefined;
}

const defaultPort = 3306;
const rowsAtOnce = 500;
// The time after which the server disconnects a client that does not read. It must be long, since the client does not
// read while PostgreSQL is busy.
const patienceSeconds = 3_600;
const isLoopback = (host: string): boolean => /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/i.test(host);

/** @throws {Error} for an invalid address, or for one with a password, which all users of this computer could see */
export function readAddress(from: string) {
  const url = URL.parse(from);
  const database = decodeURIComponent(url?.pathname.slice(1) ?? "");
  if (
    !url ||
    !/^(?:mysql|mariadb):$/.test(url.protocol) ||
    url.hostname === "" ||
    url.username === "" ||
    database === ""
  )
    throw new Error("--from must be an address such as mysql://user@host:3306/database.");
  if (url.password !== "")
    throw new Error(
      "--from must not contain the password, since other users could see it: use --password-file or standard input.",
    );
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port: Number(url.port || defaultPort), user: decodeURIComponent(url.username), database };
}

const quote = (name: string): string => `\`${name.replaceAll("`", "``")}\``;
const asText = (column: string): string => `convert(${quote(column)} using utf8mb4)`;

const toBlock = (key: string): string => `ifnull(${quote(key)} div ${idsInBlock}, 0)`;

function toCondition(selection: Selection | undefined): string {
  if (!selection) return "";
  const { key, blocks } = selection;
  return blocks.length === 0 ? " where false" : ` where ${toBlock(key)} in (${blocks.join(",")})`;
}

/** SQL that computes `digestOf` of the columns. */
const toDigestSql = (columns: readonly string[]): string =>
  `md5(concat_ws(char(0), ${columns.map((column) => `ifnull(${asText(column)}, char(1))`).join(", ")}))`;

/** @throws {Error} if the server cannot be reached or refuses the connection, or if TLS is needed for an IP address */
export async function openMysql({ address, password, ca, withoutTls = false }: OldServer): Promise<OldTables> {
  const needsTls = ca !== undefined || (!withoutTls && !isLoopback(address.host));
  // mysql2 compares a server's certificate with a host name, but not with an IP address.
  if (needsTls && isIP(address.host) !== 0)
    throw new Error("TLS needs the server's host name instead of an IP address: change --from, or use --without-tls.");
  const connection = createConnection({
    ...address,
    password,
    charset: "utf8mb4",
    ...(needsTls && {
      ssl: { verifyIdentity: true, minVersion: "TLSv1.2", ...(ca !== undefined && { ca: await readFile(ca, "utf8") }) },
    }),
  });
  const server = new MysqlTables(connection);
  try {
    await server.start();
  } catch (error) {
    connection.destroy();
    const advice =
      needsTls && /secure connection|certificate/i.test(toReason(error)) ? "; see --tls-ca and --without-tls" : "";
    throw new Error(`The old database cannot be read: ${toReason(error)}${advice}.`, { cause: error });
  }
  return server;
}

class MysqlTables implements OldTables {
  readonly #connection: Connection;
  #lost: Error | undefined;
  #end: (lost: Error) => void = () => {};

  constructor(connection: Connection) {
    this.#connection = connection;
    // mysql2 reports a lost connection only by this event, and leaves streams pending.
    connection.on("error", (error) => {
      this.#lost = error;
      this.#end(error);
    });
  }

  /** Starts a consistent snapshot for all later reads, provided that the tables use InnoDB. */
  async start(): Promise<void> {
    await this.#run(`set session net_write_timeout = ${patienceSeconds}, time_zone = '+00:00'`);
    await this.#run("set session transaction isolation level repeatable read");
    await this.#run("start transaction with consistent snapshot");
  }

  async read(reader: OldReader, only: ReadonlyMap<string, Selection> = new Map()): Promise<void> {
    for (const table of await this.#listTables()) {
      reader.table(table);
      if (reader.wants?.(table.name) === false) continue;
      const select = `select ${table.columns.map(quote).join(", ")} from ${quote(table.name)}`;
      const take = (row: readonly OldValue[]) => reader.row(table, row);
      const statement = select + toCondition(only.get(table.name));
      await this.#stream(table.name, statement, take, async () => reader.settle?.());
    }
  }

  async readBlocks({ table, key, columns }: BlockPlan, take: (block: Block) => void) {
    const digest = `bit_xor(conv(right(${toDigestSql(columns)}, 12), 16, 10))`;
    const statement = `select ${toBlock(key)} as block, count(*), ${digest} from ${quote(table)} group by block`;
    await this.#stream(table, statement, ([at = null, rows = null, sum = null]) => take([at, rows, sum]));
  }

  async close(): Promise<void> {
    this.#connection.destroy();
  }

  async #listTables(): Promise<OldTable[]> {
    const rows: OldValue[][] = [];
    await this.#stream(
      "information_schema",
      `select table_name, column_name, data_type from information_schema.tables join information_schema.columns using (table_schema, table_name)
       where table_schema = database() and table_type = 'BASE TABLE' order by table_name, ordinal_position`,
      (row) => void rows.push([...row]),
    );
    const tables = Map.groupBy(rows, ([name]) => name ?? "");
    if (tables.size === 0) throw new Error("The user in --from has no table that it can read in the old database.");
    return [...tables].map(([name, columns]) => ({
      name,
      columns: columns.map(([, column]) => column ?? ""),
      inUtc: new Set(columns.filter(([, , type]) => type === "timestamp").map(([, column]) => column ?? "")),
    }));
  }

  #run(statement: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#connection.query(statement, (error) => (error ? reject(error) : resolve()));
    });
  }

  /**
   * Streams rows without collecting them.
   * @throws {Error} with the table's name, but without values, if reading fails
   */
  async #stream(
    table: string,
    sql: string,
    row: (values: readonly OldValue[]) => void,
    settle: () => Promise<void> = async () => {},
  ): Promise<void> {
    // Without `typeCast`, values are raw bytes, so that numbers are not rounded and dates not interpreted.
    const options: QueryOptions = { sql, rowsAsArray: true, typeCast: false };
    const rows = this.#connection.query(options).stream({ highWaterMark: rowsAtOnce });
    let lost: unknown;
    rows.once("error", (error) => (lost = error));
    this.#end = (error) => void rows.destroy(error);
    if (this.#lost) this.#end(this.#lost);
    let since = 0;
    try {
      for await (const values of rows as AsyncIterable<readonly (Buffer | null)[]>) {
        row(values.map((value) => value?.toString() ?? null));
        if (++since % rowsAtOnce === 0) await settle();
      }
      await settle();
    } catch (error) {
      if (error !== lost) throw error;
      throw new Error(`Table ${table} of the old database cannot be read: ${toReason(error)}.`, { cause: error });
    }
  }
}
