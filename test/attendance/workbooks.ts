// Makes fictitious workbooks like the attendance platform's exports, with every irregularity of real ones as an option.
//   const month = makeMonth({ month: "2026-05", people: 300, seed: 7, generation: 2026 });
//   await writeBook(path, [month.monthSheet, month.dailySheet, month.originalSheet, month.clockTimesSheet]);
// Tests whose expected values are written by hand make the sheets from given lines:
//   await writeBook(path, [monthSheet({ generation: 2020, start, end, lines: [{ ...person, figures: { numberOfLate: 2 },
//     days }] })]);
// `BookForm` chooses irregularities of the file; functions such as `deleteColumn` edit a sheet.

export { writeBook, writeCsv } from "#test/attendance/book-file.ts";
export type { BookForm, CellText, Sheet, TextEncoding } from "#test/attendance/book-file.ts";
export {
  clockTimesSheet,
  dailySheet,
  identitySheet,
  monthSheet,
  originalSheet,
} from "#test/attendance/export-sheets.ts";
export type {
  DailyLine,
  Employee,
  Generation,
  IdentityLine,
  MonthLine,
  PunchLine,
} from "#test/attendance/export-sheets.ts";
export {
  addBlankColumn,
  deleteColumn,
  mapColumn,
  moveColumn,
  removeTitleRows,
  renameHeading,
  textAsNumbers,
} from "#test/attendance/sheet-traps.ts";
export { makeMonth, makePunches } from "#test/attendance/fictitious-month.ts";
export type { FictitiousMonth } from "#test/attendance/fictitious-month.ts";
