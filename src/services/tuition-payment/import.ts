import type { Db } from "#platform/database/index.ts";
import { mostFaults, refuseFaulty, type RowFault } from "#platform/workbooks/import-problems.ts";
import { importTable, type TableImport } from "#platform/workbooks/import.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { headings, nameField, readRow } from "./import-row.ts";
import {
  alignCards,
  listAmbiguous,
  listKnown,
  listPaidAndDifferent,
  listRepeated,
  lockImports,
  matchStaged,
  stagePayables,
  storeStaged,
  toStoredValues,
} from "./import-store.ts";
import { addGrades } from "./pay-limit-store.ts";
import { nameGrade } from "./rules.ts";

type Key = (typeof headings)[number]["key"];

export interface ImportOrder extends Omit<TableImport<Key>, "headings" | "readRow"> {
  /** By which the rows that wait to be stored are sealed. */
  readonly keys: Keyring;
  /** Checks everything and stores nothing. */
  readonly dryRun: boolean;
  /** A payable that is there already takes what its row says, unless it is paid. */
  readonly replace: boolean;
}

/** Runs the import as the one write that it is, and returns the number of rows as text. */
type Transact = (work: (tx: Db) => Promise<number>) => Promise<string>;

/** Imports the payables of a workbook, all or none, and returns how many rows it has. @throws {Problem} as `importTable`. */
export function importPayables(transact: Transact, { keys, dryRun, replace, ...plan }: ImportOrder): Promise<string> {
  const grades = new Set<string>();
  const toValues: TableImport<Key>["readRow"] = (row, faults) => {
    const payable = readRow(row, faults);
    if (payable) grades.add(payable.grade);
    return payable && toStoredValues(keys, payable);
  };
  return importTable({ ...plan, headings, readRow: toValues }, (rows) =>
    transact(async (tx) => {
      await lockImports(tx);
      await stagePayables(tx, rows);
      await alignCards(tx);
      const faults = [...rows.faults, ...(await findFaultsAmong(tx, replace))];
      refuseFaulty(faults.toSorted((a, b) => a.row - b.row));
      if (dryRun) return rows.count;
      await storeStaged(tx, replace);
      await addGrades(
        tx,
        Array.from(grades, (grade) => ({ grade, gradeName: nameGrade(grade) })),
      );
      return rows.count;
    }),
  );
}

/** What no row tells by itself: the same student and year twice, in the file or with what is there. */
async function findFaultsAmong(tx: Db, replace: boolean): Promise<RowFault[]> {
  await matchStaged(tx);
  const repeated = (await listRepeated(tx, mostFaults)).map(({ row, first, by }) =>
    by === "studentNo"
      ? say(row, by, `与第${first}行的学号和收费年度相同`, `has the student number and charging year of row ${first}`)
      : say(
          row,
          by,
          `与第${first}行的身份证号和收费年度相同`,
          `has the identity card and charging year of row ${first}`,
        ),
  );
  return [...repeated, ...(replace ? await findFaultsOfReplacing(tx) : await findKnown(tx))];
}

const findKnown = async (tx: Db): Promise<RowFault[]> =>
  (await listKnown(tx, mostFaults)).map((row) =>
    say(row, "studentNo", "该学号在该收费年度已有缴费信息", "has a payable for that charging year already"),
  );

async function findFaultsOfReplacing(tx: Db): Promise<RowFault[]> {
  const ambiguous = (await listAmbiguous(tx, mostFaults)).map((row) =>
    say(
      row,
      "idCard",
      "学号与身份证号对应不止一条缴费信息，或与前面的行相同",
      "is more than one payable by its number and identity card, or the one of an earlier row",
    ),
  );
  const paid = (await listPaidAndDifferent(tx, mostFaults)).map((row) =>
    say(
      row,
      "studentNo",
      "该学号在该收费年度已缴费或在订单中，不能修改",
      "is paid for that charging year, or in an order, and cannot be changed",
    ),
  );
  return [...ambiguous, ...paid];
}

const say = (row: number, key: "studentNo" | "idCard", zh: string, en: string): RowFault => ({
  row,
  field: nameField(key),
  zh,
  en,
});
