import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Db } from "#platform/database.ts";

// Rows go into the database by COPY, the fastest way in. Its text form is a line a row, values separated by tabs.

/** A COPY under way. Its connection, or transaction, can do nothing else until it has ended. */
export interface CopyIn {
  /** Resolves when there is room for more. */
  write(text: Uint8Array | string): Promise<void>;
  /** Only then are the rows there. */
  finish(): Promise<void>;
  /** Undoes it. */
  abandon(): void;
}

/**
 * Begins a COPY. What the database has against it, a broken constraint say, is thrown by `write` or `finish`.
 * @param target table and columns, such as `people (name, number)`; never of a request.
 */
export async function openCopyIn(db: Db, target: string): Promise<CopyIn> {
  const query = db.unsafe(`copy ${target} from stdin`);
  const failed = listenForFailure(query);
  const stream: Writable = await query.writable();
  stream.on("error", () => undefined);
  return {
    async write(text) {
      if (!stream.write(text)) await Promise.race([once(stream, "drain"), failed]);
    },
    async finish() {
      const finished = once(stream, "finish");
      stream.end();
      await Promise.race([finished, failed]);
    },
    abandon: () => void stream.destroy(new Error("the import was given up")),
  };
}

/**
 * Rejects with what fails the query. Once it has handed out its stream, postgres.js tells nobody of a failure behind the
 * last row: it rejects the query, which was resolved long ago, and a wait for the stream's end would never end.
 */
function listenForFailure(query: object): Promise<never> {
  const failed = new Promise<never>((_resolve, reject) => {
    const own = query as { reject: (error: unknown) => void };
    const rejectQuery = own.reject;
    own.reject = (error) => {
      reject(error);
      rejectQuery(error);
    };
  });
  // Whoever writes next hears of it; nobody may be writing at the moment.
  failed.catch(() => undefined);
  return failed;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const needsEscape = /[\\\n\r\t\0]/;
const escapeText = (text: string): string =>
  needsEscape.test(text)
    ? text.replaceAll("\0", "").replaceAll(/[\\\n\r\t]/g, (letter) => escapes[letter] ?? "")
    : text;

type CopyValue = string | number | null | readonly (string | number)[];

/** One row; an array becomes one of PostgreSQL's. */
export const toCopyLine = (values: readonly CopyValue[]): string => `${values.map(toField).join("\t")}\n`;

function toField(value: CopyValue): string | number {
  if (value === null) return "\\N";
  if (typeof value === "number") return value;
  return escapeText(typeof value === "string" ? value : `{${value.map(toElement).join(",")}}`);
}

const needsQuoting = /["\\]/;

function toElement(value: string | number): string {
  if (typeof value === "number") return String(value);
  return needsQuoting.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`;
}
