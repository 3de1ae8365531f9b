import { KIND } from "#platform/workbooks/raw-row.ts";

// An id of more than 15 digits that a spreadsheet program takes for a number loses its last digits for good, and two of
// them become one.

/** What a ruined id is read as; no cell can hold it. */
export const RUINED = "\0";

const EXPONENT = /^\d(?:\.\d{1,20})?E\+\d{2,3}$/i;
const TOO_LONG = /^\d{16}/;
const NOTHING = /^0(?:\.0+)?$/;

/** An id as the sheet has it, "" for the 0 that stands for none, or `RUINED`. */
export function readId(text: string, kind: number): string {
  const id = text.trim();
  if (NOTHING.test(id)) return "";
  const isNumber = kind === KIND.number || kind === KIND.dateNumber;
  return EXPONENT.test(id) || (isNumber && TOO_LONG.test(id)) ? RUINED : id;
}
