import { placeOf, type SealedColumn, toStoredValue } from "#platform/sealing/column.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";

/** The cards that were imported. Nobody is looked for by them but by `quintet person`, so nothing stands for them. */
const importedCard: SealedColumn = {
  table: "attendance.identity",
  key: { import_id: "bigint", row: "integer" },
  column: "id_card",
};

/** The card in an employee's row. A version has the rows of its month as they lie there, so both are bound to one place. */
const resultCard: SealedColumn = {
  table: "attendance.result",
  key: { month: "text", row: "integer" },
  column: "data",
  // No text within a row can be taken for these: there a quotation mark is escaped, as it is in the card that is sealed.
  part: { after: '"idCard":"', before: '","daysOfAttendanceInHuangjiahu":' },
  isJson: true,
  place: "attendance.result.data.idCard",
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

/** A row as it is stored, out of its JSON. */
export const sealRow = (keys: Keyring, json: string): string => toStoredValue(keys, resultCard, json).plain;

const sealedCard = /(?<="idCard":")sealed:(?:[^"\\]|\\.)*(?=")/g;

/** Rows as they go out, out of a text in which they lie as they are stored. It is not parsed: a month is tens of megabytes. */
export function openRows(keys: Keyring, json: string): string {
  const { open } = openOrShow(keys);
  return json.replaceAll(sealedCard, (stored) => open(placeOf(resultCard), stored));
}
