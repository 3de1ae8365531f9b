import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { type OldReader, type OldTable, type OldTables, type OldValue, toReason } from "./old-tables.ts";

// Reads dumps written by mysqldump, mariadb-dump or Navicat: their CREATE TABLE statements, and their INSERT and
// REPLACE statements with literal values.

const inside: Readonly<Record<string, RegExp>> = {
  "'": /['\\]/g,
  '"': /["\\]/g,
  "`": /`/g,
  "--": /\n/g,
  "#": /\n/g,
  "/*": /\*\//g,
};
const outside = /['"`;#]|--(?=\s)|\/\*/g;
// The end of a chunk may split a token of two characters, or separate "--" from the character after it.
const longestMark = 3;
const longestSetting = 10_000;
const pieceBytes = 1024 * 1024;
const mostCharacters = 256 * 1024 * 1024;

/**
 * Splits the text into statements at semicolons.
 * @throws {Error} if the text is truncated or a statement is longer than `mostCharacters`
 */
async function* splitStatements(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = "";
  let from = 0;
  let at = 0;
  let opened: string | undefined;
  let hasEndMark: boolean | undefined;
  for await (const piece of pieces) {
    hasEndMark ??= /^-- (?:MySQL|MariaDB) dump /m.test(piece.slice(0, 500));
    text = text.slice(from) + piece;
    at -= from;
    from = 0;
    if (text.length > mostCharacters) throw new Error("a statement is longer than 256 million characters");
    for (;;) {
      const mark: RegExp = opened === undefined ? outside : (inside[opened] ?? outside);
      mark.lastIndex = at;
      const found = mark.exec(text);
      if (!found || found.index > text.length - longestMark) {
        at = Math.max(at, found?.index ?? text.length - longestMark);
        break;
      }
      at = found.index + found[0].length;
      if (found[0] === "\\") at++;
      else if (opened !== undefined) opened = undefined;
      else if (found[0] === ";") {
        yield text.slice(from, found.index);
        from = at;
      } else opened = found[0];
    }
  }
  const rest = text.slice(from);
  if (withoutComments(rest) !== "" || (hasEndMark && !rest.includes("-- Dump completed")))
    throw new Error("the file is truncated");
}

function withoutComments(statement: string): string {
  const comment = /\s+|--(?:[^\S\n][^\n]*)?(?:\n|$)|#[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\//y;
  let at = 0;
  while (comment.test(statement)) at = comment.lastIndex;
  return statement.slice(at).trimEnd();
}

const meanings: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", 0: "\0", Z: "\u001a" };
const unescape = (text: string): string =>
  text.replaceAll(/\\([\s\S])|''/g, (_, escaped: string | undefined) =>
    escaped === undefined ? "'" : (meanings[escaped] ?? escaped),
  );

const plainValue = /\s*(?:(NULL)\b|(0x[\da-f]*|[-+]?[\d.]+(?:e[-+]?\d+)?)|(?:_[a-z]\w*\s*|[bnx])?')/iy;
const endOfText = /\\|'(')?/g;
const between = /\s*([,)])/y;
const nextRow = /\s*,?\s*\(/y;

/** Parses the rows after VALUES. @throws {Error} unless all values are literals */
function* readRows(text: string, start: number): Generator<OldValue[]> {
  let at = start;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text) ?? undefined;
    if (found) at = pattern.lastIndex;
    return found;
  };
  const takeText = (): string => {
    const from = at;
    for (;;) {
      const found = takeEnd();
      if (found === "'") return unescape(text.slice(from, at - 1));
      if (found === "\\") at++;
    }
  };
  const takeEnd = () => take(endOfText)?.[0] ?? fail();
  const fail = (): never => {
    throw new Error("a row has a value other than NULL, a number or a text");
  };
  while (take(nextRow)) {
    const row: OldValue[] = [];
    do {
      const found = take(plainValue) ?? fail();
      row.push(found[1] ? null : (found[2] ?? takeText()));
    } while ((take(between) ?? fail())[1] === ",");
    yield row;
  }
  if (text.slice(at).trim() !== "") fail();
}

const name = "`[^`]+`|[^`\\s(),]+";
const named = `(?:\`[^\`]+\`\\.)?(${name})`;
const creation = new RegExp(String.raw`^CREATE TABLE (?:IF NOT EXISTS )?${named}\s*\(`, "i");
const anyInsertion = /^(?:INSERT|REPLACE)\b/i;
const insertion = new RegExp(
  `^(?:INSERT|REPLACE)\\s+(?:IGNORE\\s+)?INTO\\s+${named}\\s*(\\((?:\`[^\`]+\`|[^\`()])*\\))?\\s*VALUES\\s*`,
  "i",
);
const refuseInsertion = (): never => {
  throw new Error("an INSERT after this table has no plain list of VALUES");
};

const bare = (written: string | undefined): string => written?.replaceAll("`", "") ?? "";
const listNames = (list: string): string[] => [...list.matchAll(new RegExp(name, "g"))].map(([found]) => bare(found));
const listColumns = (created: string, type = ""): string[] =>
  [...created.matchAll(/^\s*(`[^`]+`)\s+(\w+)/gm)]
    .filter(([, , found = ""]) => type === "" || found.toLowerCase() === type)
    .map(([, found]) => bare(found));
// By default, mysqldump writes this statement and all timestamps in UTC.
const saysUtc = /SET TIME_ZONE\s*=\s*'\+00:00'/;

/**
 * @throws {Error} if the dump cannot be read, for example because it is truncated or has expressions; the message names
 * the table, but never quotes a value
 */
export async function readDump(pieces: AsyncIterable<string>, reader: OldReader): Promise<void> {
  const tables = new Map<string, OldTable>();
  let last = "";
  let isRoutine = false;
  let isInUtc = false;
  const know = (table: OldTable): OldTable => {
    if (tables.has(table.name)) throw new Error("the table occurs twice: dump one database at a time");
    tables.set(table.name, table);
    reader.table(table);
    return table;
  };
  const insert = (statement: string) => {
    const [head, written, list] = insertion.exec(statement) ?? refuseInsertion();
    last = bare(written);
    const columns = list === undefined ? undefined : listNames(list);
    const table = tables.get(last) ?? know({ name: last, columns: columns ?? [], inUtc: new Set() });
    if (reader.wants?.(last) === false) return;
    const given = columns ?? table.columns;
    for (const row of readRows(statement, head.length)) {
      if (row.length !== given.length) throw new Error(`a row has ${row.length} values for ${given.length} columns`);
      reader.row(columns ? { ...table, columns } : table, row);
    }
  };
  try {
    for await (const text of splitStatements(pieces)) {
      const statement = withoutComments(text);
      // Between "DELIMITER ;;" and "DELIMITER ;" are routines, whose INSERT statements are not data.
      if (/\bDELIMITER\s*$/i.test(statement)) isRoutine = !isRoutine;
      if (isRoutine) continue;
      const created = creation.exec(statement);
      last = created ? bare(created[1]) : last;
      isInUtc ||= text.length < longestSetting && saysUtc.test(text);
      if (created) {
        const inUtc = new Set(isInUtc ? listColumns(statement, "timestamp") : []);
        know({ name: last, columns: listColumns(statement), inUtc });
      } else if (anyInsertion.test(statement)) {
        insert(statement);
        await reader.settle?.();
      }
    }
    if (tables.size === 0) throw new Error("it contains no tables");
  } catch (error) {
    throw new Error(`The dump cannot be read${last && ` at table ${last}`}: ${toReason(error)}.`, {
      cause: error,
    });
  }
}

/** Reads a file, gzipped if named .gz, in UTF-8 or in the UTF-16 that PowerShell writes. */
async function* readText(file: string): AsyncGenerator<string> {
  const source = createReadStream(file, { highWaterMark: pieceBytes });
  const bytes: Readable = file.endsWith(".gz") ? source.pipe(createGunzip({ chunkSize: pieceBytes })) : source;
  source.once("error", (error) => bytes.destroy(error));
  let decoder: TextDecoder | undefined;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    decoder ??= new TextDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? "utf-16le" : "utf-8");
    yield decoder.decode(chunk, { stream: true });
  }
  yield "\n\n\n";
}

export const openDump = (file: string): OldTables => ({
  read: (reader) => readDump(readText(file), reader),
  close: async () => {},
});
