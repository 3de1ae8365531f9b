import { copyIn, type CopyIn, type Db, openCopyIn, type Session, toCopyLine } from "#platform/database/index.ts";
import { type Keyring, bindingOf, openOrShow, type SealedColumn } from "#platform/sealing/keyring.ts";
import type { IdentityRow, MonthRow } from "./model.ts";

/** Only `quintet person` searches for imported cards, so they have no blind index. */
const importedCard: SealedColumn = {
  table: "attendance.identity",
  key: { import_id: "bigint", row: "integer" },
  column: "id_card",
};

/** A version copies the sealed card of a row, so both tables use the same binding. */
const resultCard: SealedColumn = {
  table: "attendance.result",
  key: { month: "text", row: "integer" },
  column: "id_card",
  place: "attendance.result.id_card",
};

const versionCard: SealedColumn = {
  ...resultCard,
  table: "attendance.version_row",
  key: { version_id: "bigint", row: "integer" },
};

export const sealedColumns: readonly SealedColumn[] = [importedCard, resultCard, versionCard];

export const openImported = (keys: Keyring, stored: string): string => openOrShow(keys, importedCard, stored);

export const openResultCard = (keys: Keyring, stored: string): string => openOrShow(keys, resultCard, stored);
export const sealResultCard = (keys: Keyring, idCard: string): string => keys.seal(bindingOf(resultCard), idCard);

/** `data` is JSON with an empty `idCard`; the card is stored separately. */
export interface StoredRow {
  readonly data: string;
  readonly idCard: string;
  readonly extra?: string | null;
}

/**
 * Inserts the card into the row's JSON text without parsing it, since parsing tens of megabytes a month would take too
 * long. The replaced text cannot occur in a value, where quotation marks are escaped.
 */
export function openRow(keys: Keyring, { data, idCard, extra = null }: StoredRow): string {
  const card = idCard === "" ? "" : openResultCard(keys, idCard);
  const row = card === "" ? data : data.replace('"idCard":""', () => `"idCard":${JSON.stringify(card)}`);
  return extra === null ? row : `${row.slice(0, -1)},"extra":${extra}}`;
}

const targets = {
  month: "employee (import_id, row, name, user_id, work_number, group_name, department, copied, days)",
  identity: "identity (import_id, row, name, user_id, work_number, id_card)",
  daily: "daily (row, name, user_id, work_number, day, shift, slots, absent, counted, group_name)",
  roster: "roster (month, employee, name, user_id, work_number, group_name, department, imports, rows)",
  results: "result (month, row, name, user_id, work_number, group_name, department, data, extra, id_card, warnings)",
  original: "punch (row, name, user_id, work_number, day, scheduled, time, result, address, group_name)",
} as const;
type Copied = keyof typeof targets;

export type RowSink = Awaited<ReturnType<typeof openRowSink>>;

/**
 * Opens a COPY for each sheet in turn. Lines of 每日统计 and 原始记录 lack the import's id, which the column's default takes
 * from a session setting.
 */
export async function openRowSink(connection: Session, importId: number) {
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
    async write(sheet: Copied, text: Uint8Array | string): Promise<void> {
      if (at?.sheet !== sheet) {
        await finish();
        at = { sheet, copy: await openCopyIn(connection, `attendance.${targets[sheet]}`) };
      }
      await at.copy.write(text);
    },
    abandon(): void {
      at?.copy.abandon();
      at = undefined;
    },
  };
}

export const copyText = (db: Db, to: Copied, text: readonly Buffer[]): Promise<void> =>
  copyIn(db, `attendance.${targets[to]}`, text);

export function toMonthLine(importId: number, { row, copied, days, ...who }: MonthRow): string {
  const { name, userId, workNumber, group, department } = who;
  const texts = [JSON.stringify(copied), JSON.stringify(days)];
  return toCopyLine([importId, row, name, userId, workNumber, group, department, ...texts]);
}

export const toIdentityLine = (keys: Keyring, importId: number, row: IdentityRow): string =>
  toCopyLine([importId, row.row, row.name, row.userId, row.workNumber, keys.seal(bindingOf(importedCard), row.idCard)]);
