import { brokenConstraint, type Db } from "#platform/database/index.ts";
import type { Arrival } from "#platform/files/arrivals.ts";
import { FaultyRows, mostFaults, type RowFault } from "#platform/workbooks/import-problems.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { readTableInBatches, type SpreadsheetLimits } from "#platform/workbooks/index.ts";
import { openSpool, type Spool } from "#platform/workbooks/spool.ts";
import { headings, nameField, readRow } from "./import-row.ts";
import {
  alignCards,
  hasCardTwice,
  hasUniformCards,
  listAmbiguous,
  listKnown,
  listPaidAndDifferent,
  listRepeated,
  matchStaged,
  openDirect,
  openStaging,
  type RowTarget,
  storeStaged,
  lockImports,
  toStagedLine,
} from "./import-store.ts";
import { addGrades } from "./pay-limit-store.ts";
import { nameGrade } from "./rules.ts";

export interface ImportOrder {
  readonly path: string;
  readonly limits: Partial<SpreadsheetLimits>;
  /** By which the rows that wait to be stored are sealed. */
  readonly keys: Keyring;
  /** Begins a file for the rows that are read and not stored yet. */
  readonly begin: () => Promise<Arrival>;
  /** Checks everything and stores nothing. */
  readonly dryRun: boolean;
  /** A payable that is there already takes what its row says, unless it is paid. */
  readonly replace: boolean;
}

/** Runs the import as the one write that it is, and returns the number of rows as text. */
type Transact = (work: (tx: Db) => Promise<number>) => Promise<string>;

/** The rows of a file: the good ones wait in the spool, each a line of COPY with its number before it. */
interface ReadRows {
  readonly spool: Spool;
  readonly rows: number;
  readonly grades: ReadonlySet<string>;
  readonly faults: readonly RowFault[];
}

/**
 * Imports the payables of a workbook, all or none, and returns how many rows it has. The file is read before the
 * transaction. New rows go straight into the table, whose unique key finds what is there twice; only when something is
 * wrong do they go row by row into a table of the transaction's own, to say what.
 * @throws {FaultyRows} with up to 100 of them, SpreadsheetError for a fault of the file.
 */
export async function importPayables(transact: Transact, order: ImportOrder): Promise<string> {
  const spool = await openSpool(await order.begin());
  try {
    return await storeRows(transact, order, await readRows(order, spool));
  } finally {
    await spool.remove();
  }
}

async function storeRows(transact: Transact, order: ImportOrder, read: ReadRows): Promise<string> {
  if (!order.dryRun && !order.replace && read.faults.length === 0) {
    try {
      return await transact((tx) => importDirectly(tx, read));
    } catch (error) {
      if (!(error instanceof FaultyRows || error instanceof NotUniform) && brokenConstraint(error) === undefined)
        throw error;
    }
  }
  return transact((tx) => importCarefully(tx, order, read));
}

/** Cards that are the same may be stored in several ways. */
class NotUniform extends Error {}

async function importDirectly(tx: Db, { spool, rows, grades }: ReadRows): Promise<number> {
  await lockImports(tx);
  // Whoever looks more carefully will say which, and has them stored alike.
  if (!(await hasUniformCards(tx))) throw new NotUniform();
  await copyInto(await openDirect(tx), spool);
  if (await hasCardTwice(tx)) throw new FaultyRows([]);
  await nameGrades(tx, grades);
  return rows;
}

async function importCarefully(
  tx: Db,
  order: ImportOrder,
  { spool, rows, grades, ...read }: ReadRows,
): Promise<number> {
  await lockImports(tx);
  await copyInto(await openStaging(tx), spool);
  if (!(await hasUniformCards(tx))) await alignCards(tx);
  const faults = [...read.faults, ...(await findFaultsAmong(tx, order))];
  if (faults.length > 0) throw new FaultyRows(faults.toSorted((a, b) => a.row - b.row).slice(0, mostFaults));
  if (order.dryRun) return rows;
  await storeStaged(tx, order.replace);
  await nameGrades(tx, grades);
  return rows;
}

const nameGrades = (tx: Db, grades: ReadonlySet<string>): Promise<void> =>
  addGrades(
    tx,
    Array.from(grades, (grade) => ({ grade, gradeName: nameGrade(grade) })),
  );

/** Keeps the good rows and notes the faults of the others, until there are enough. */
async function readRows({ path, limits, keys }: ImportOrder, spool: Spool): Promise<ReadRows> {
  const grades = new Set<string>();
  const faults: RowFault[] = [];
  let rows = 0;
  for await (const batch of readTableInBatches({ path, headings, limits })) {
    let lines = "";
    for (const row of batch) {
      const payable = readRow(row, faults);
      if (!payable) continue;
      grades.add(payable.grade);
      lines += toStagedLine(keys, row.row, payable);
    }
    rows += batch.length;
    await spool.add(lines);
    if (faults.length >= mostFaults) break;
  }
  return { spool, rows, grades, faults };
}

async function copyInto({ copy, toLines }: RowTarget, spool: Spool): Promise<void> {
  try {
    for await (const lines of spool.read()) await copy.write(toLines(lines));
  } catch (error) {
    copy.abandon();
    throw error;
  }
  await copy.finish();
}

/** What no row tells by itself: the same student and year twice, in the file or with what is there. */
async function findFaultsAmong(tx: Db, { replace }: ImportOrder): Promise<RowFault[]> {
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
