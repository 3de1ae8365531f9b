// Makes workbooks like those that the attendance platform exports, with every trap of the real ones to choose from.
// All people in them are invented.
//
//   const month = makeMonth({ month: "2026-05", people: 300, seed: 7, generation: 2026 });
//   await writeBook(path, [month.monthSheet, month.dailySheet, month.originalSheet, month.clockTimesSheet]);
//
// or, for hand-computed expectations, from lines of one's own:
//
//   await writeBook(path, [monthSheet({ generation: 2020, start, end, lines: [{ ...person, figures: { numberOfLate: 2 }, days }] })]);
//
// Traps: `BookForm` for those of the file, `deleteColumn` and the like for those that people make in a sheet.

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
export type { FictitiousMonth, MonthRequest } from "#test/attendance/fictitious-month.ts";
