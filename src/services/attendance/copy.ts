import { type CopyIn, type Db, openCopyIn, type Session, toCopyLine } from "#platform/database/index.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import type { IdentityRow, MonthRow } from "./model.ts";
import { sealImported } from "./sealed.ts";

const targets = {
  month: "employee (import_id, row, name, user_id, work_number, group_name, department, copied, days)",
  identity: "identity (import_id, row, name, user_id, work_number, id_card)",
  daily: "daily (row, name, user_id, work_number, day, shift, slots, absent)",
  roster: "roster (month, employee, name, user_id, work_number, group_name, department, imports, rows)",
  results: "result (month, row, name, user_id, work_number, group_name, department, data, id_card, warnings)",
  original: "punch (row, name, user_id, work_number, day, scheduled, time, result, address)",
} as const;
export type Copied = keyof typeof targets;

/** Where the rows of an import go. One COPY is under way at a time: the connection can do no more. */
export interface RowSink {
  /** By which what is written is sealed. */
  readonly keys: Keyring;
  write(sheet: Copied, text: Uint8Array | string): Promise<void>;
  /** Ends the COPY under way; only then are its rows there. */
  finish(): Promise<void>;
  /** Undoes the COPY under way. */
  abandon(): void;
}

/** @param connection reserved for this import alone: lines that do not say so get its number. */
export async function openRowSink(connection: Session, importId: number): Promise<RowSink> {
  await connection`select set_config('attendance.import_id', ${String(importId)}, false)`;
  let at: { sheet: Copied; copy: CopyIn } | undefined;
  const finish = async () => {
    const ending = at?.copy;
    at = undefined;
    await ending?.finish();
  };
  return {
    keys: connection.keys,
    finish,
    async write(sheet, text) {
      if (at?.sheet !== sheet) {
        await finish();
        at = { sheet, copy: await openCopyIn(connection, `attendance.${targets[sheet]}`) };
      }
      await at.copy.write(text);
    },
    abandon() {
      at?.copy.abandon();
      at = undefined;
    },
  };
}

/** Copies lines in at once. */
export async function copyText(db: Db, to: Copied, text: readonly Buffer[]): Promise<void> {
  const copy = await openCopyIn(db, `attendance.${targets[to]}`);
  for (const piece of text) await copy.write(piece);
  await copy.finish();
}

export const toMonthLine = (importId: number, row: MonthRow): string =>
  toCopyLine([
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

export const toIdentityLine = (keys: Keyring, importId: number, row: IdentityRow): string =>
  toCopyLine([importId, row.row, row.name, row.userId, row.workNumber, sealImported(keys, row.idCard)]);
