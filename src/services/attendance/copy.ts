import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Db, Pool } from "#platform/database.ts";
import type { IdentityRow, MonthRow } from "./model.ts";

// Rows go into the database by COPY, the fastest way in. Its text form is a line a row, values separated by tabs.

const targets = {
  month: "employee (import_id, row, name, user_id, work_number, group_name, department, copied, days)",
  identity: "identity (import_id, row, name, user_id, work_number, id_card)",
  daily: "daily (row, name, user_id, work_number, day, shift, slots)",
  results: "result (month, row, name, user_id, work_number, group_name, department, data, warnings)",
  original: "punch (row, name, user_id, work_number, day, scheduled, time, result, address)",
} as const;
export type Copied = keyof typeof targets;

/** Where the rows of an import go. One COPY is under way at a time: the connection can do no more. */
export interface RowSink {
  write(sheet: Copied, text: Uint8Array | string): Promise<void>;
  /** Ends the COPY under way; only then are its rows there. */
  finish(): Promise<void>;
  /** Undoes the COPY under way. */
  abandon(): void;
}

/** @param connection reserved for this import alone: lines that do not say so get its number. */
export async function openRowSink(connection: Pool, importId: number): Promise<RowSink> {
  await connection`select set_config('attendance.import_id', ${String(importId)}, false)`;
  let at: (Copy & { sheet: Copied }) | undefined;
  const finish = async () => {
    if (!at) return;
    const ended = at;
    at = undefined;
    await endCopy(ended);
  };
  return {
    finish,
    async write(sheet, text) {
      if (at?.sheet !== sheet) {
        await finish();
        at = { sheet, ...(await beginCopy(connection, sheet)) };
      }
      const { stream, failed } = at;
      if (!stream.write(text)) await Promise.race([once(stream, "drain"), failed]);
    },
    abandon() {
      at?.stream.destroy(new Error("the import was given up"));
      at = undefined;
    },
  };
}

/** Copies lines in at once. */
export async function copyText(db: Db, to: Copied, text: readonly Buffer[]): Promise<void> {
  const copy = await beginCopy(db, to);
  for (const piece of text) copy.stream.write(piece);
  await endCopy(copy);
}

interface Copy {
  readonly stream: Writable;
  readonly failed: Promise<never>;
}

async function beginCopy(db: Db, to: Copied): Promise<Copy> {
  const stream = await db.unsafe(`copy attendance.${targets[to]} from stdin`).writable();
  return { stream, failed: listenForFailure(stream) };
}

async function endCopy({ stream, failed }: Copy): Promise<void> {
  const finished = once(stream, "finish");
  stream.end();
  await Promise.race([finished, failed]);
}

function listenForFailure(stream: Writable): Promise<never> {
  const failed = new Promise<never>((_resolve, reject) => stream.on("error", reject));
  // Whoever writes next hears of it; nobody may be writing at the moment.
  failed.catch(() => undefined);
  return failed;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const escapeText = (text: string): string =>
  text.replaceAll("\0", "").replaceAll(/[\\\n\r\t]/g, (letter) => escapes[letter] ?? "");

/** A line of COPY. */
export const toLine = (values: readonly (string | number)[]): string =>
  `${values.map((value) => (typeof value === "number" ? value : escapeText(value))).join("\t")}\n`;

export const toMonthLine = (importId: number, row: MonthRow): string =>
  toLine([
    importId,
    row.row,
    row.name,
    row.userId,
    row.workNumber,
    row.group,
    row.department,
    JSON.stringify(row.copied),
    JSON.stringify(row.days),
  ]);

export const toIdentityLine = (importId: number, row: IdentityRow): string =>
  toLine([importId, row.row, row.name, row.userId, row.workNumber, row.idCard]);
