import { placeOf, type SealedColumn } from "#platform/sealing/column.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";

/** The cards that were imported. Nobody is looked for by them but by `quintet person`, so nothing stands for them. */
const importedCard: SealedColumn = {
  table: "attendance.identity",
  key: { import_id: "bigint", row: "integer" },
  column: "id_card",
};

/** The card of an employee's row. A version has the rows of its month as they lie there, so both are bound to one place. */
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

/**
 * What the keys do not open is shown as it lies there: of a card that was changed, or whose key is lost, the month's
 * other figures are as right as before.
 */
const openOrShow = (keys: Keyring): Pick<Keyring, "open"> => ({
  open(place, stored) {
    try {
      return keys.open(place, stored);
    } catch {
      return stored;
    }
  },
});

/** What is stored for a card of the identity sheet. */
export const sealImported = (keys: Keyring, idCard: string): string => keys.seal(placeOf(importedCard), idCard);

export const openImported = (keys: Keyring, stored: string): string =>
  openOrShow(keys).open(placeOf(importedCard), stored);

/** A card of a stored row. */
export const openResultCard = (keys: Keyring, stored: string): string =>
  openOrShow(keys).open(placeOf(resultCard), stored);

export const sealResultCard = (keys: Keyring, idCard: string): string => keys.seal(placeOf(resultCard), idCard);

/** An employee's row as it is stored: its JSON, in which the card is empty, and the card apart. */
export interface StoredRow {
  readonly data: string;
  readonly idCard: string;
}

/** A row's JSON as it goes out. It is not parsed: a month is tens of megabytes, and within a text quotation marks are escaped. */
export const openRow = (keys: Keyring, { data, idCard }: StoredRow): string =>
  idCard === "" ? data : data.replace('"idCard":""', () => `"idCard":${JSON.stringify(openResultCard(keys, idCard))}`);
