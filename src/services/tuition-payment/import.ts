import type { Db } from "#platform/database.ts";
import { FaultyRows, mostFaults, type RowFault } from "#platform/import-problems.ts";
import { readTableInBatches, type SpreadsheetLimits } from "#platform/spreadsheet/index.ts";
import { headings, nameField, readRow } from "./import-row.ts";
import {
  listKnown,
  listPaidAndDifferent,
  listRepeated,
  listStagedGrades,
  openStaging,
  storeStaged,
  takeImportTurn,
  toStagedLine,
} from "./import-store.ts";
import { addGrades } from "./pay-limit-store.ts";
import { nameGrade } from "./rules.ts";

export interface ImportOrder {
  readonly path: string;
  readonly limits: Partial<SpreadsheetLimits>;
  /** Checks everything and stores nothing. */
  readonly dryRun: boolean;
  /** A payable that is there already takes what its row says, unless it is paid. */
  readonly replace: boolean;
}

/**
 * Imports the payables of a workbook, all or none, and returns how many rows it has. Everything happens in the
 * transaction at hand and can be run again from the start: the file is only read.
 * @throws {FaultyRows} with up to 100 of them, SpreadsheetError for a fault of the file.
 */
export async function importPayables(tx: Db, order: ImportOrder): Promise<number> {
  const faults: RowFault[] = [];
  const count = await stageRows(tx, order, faults);
  await takeImportTurn(tx);
  faults.push(...(await findFaultsAmong(tx, order)));
  if (faults.length > 0) throw new FaultyRows(faults.toSorted((a, b) => a.row - b.row).slice(0, mostFaults));
  if (order.dryRun) return count;
  await storeStaged(tx, order.replace);
  const grades = await listStagedGrades(tx);
  await addGrades(
    tx,
    grades.map((grade) => ({ grade, gradeName: nameGrade(grade) })),
  );
  return count;
}

/** Copies the good rows in and notes the faults of the others, of which a hundred are enough. */
async function stageRows(tx: Db, { path, limits }: ImportOrder, faults: RowFault[]): Promise<number> {
  const copy = await openStaging(tx);
  let count = 0;
  try {
    for await (const batch of readTableInBatches({ path, headings, limits })) {
      const lines = batch.map((row) => {
        const payable = readRow(row, faults);
        return payable ? toStagedLine(row.row, payable) : "";
      });
      count += batch.length;
      await copy.write(lines.join(""));
      if (faults.length >= mostFaults) break;
    }
  } catch (error) {
    copy.abandon();
    throw error;
  }
  await copy.finish();
  return count;
}

/** What no row tells by itself: the same student and year twice, in the file or with what is there. */
async function findFaultsAmong(tx: Db, { replace }: ImportOrder): Promise<RowFault[]> {
  const field = nameField("studentNo");
  const repeated = (await listRepeated(tx, mostFaults)).map(({ row, first }) => ({
    row,
    field,
    zh: `与第${first}行的学号和收费年度相同`,
    en: `has the student number and charging year of row ${first}`,
  }));
  if (replace)
    return [
      ...repeated,
      ...(await listPaidAndDifferent(tx, mostFaults)).map((row) => ({
        row,
        field,
        zh: "该学号在该收费年度已缴费，不能修改",
        en: "is paid for that charging year and cannot be changed",
      })),
    ];
  return [
    ...repeated,
    ...(await listKnown(tx, mostFaults)).map((row) => ({
      row,
      field,
      zh: "该学号在该收费年度已有缴费信息",
      en: "has a payable for that charging year already",
    })),
  ];
}
