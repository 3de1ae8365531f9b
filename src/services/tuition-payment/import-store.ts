import { type CopyIn, openCopyIn, toCopyLine } from "#platform/copy-in.ts";
import type { Db } from "#platform/database.ts";
import type { NewPayable } from "./payable-store.ts";

/** Where the rows of a workbook go. */
export interface RowTarget {
  readonly copy: CopyIn;
  /** Lines of `toStagedLine` as the target takes them. */
  readonly toLines: (staged: string) => string;
}

export const copiedFields = `student_no, id_card, student_name, grade, years, college_name, major_name, class_name, amount_fen,
  item_names, item_fen`;

const toValues = (payable: NewPayable) => [
  payable.studentNo,
  payable.idCard,
  payable.studentName,
  payable.grade,
  payable.years,
  payable.collegeName,
  payable.majorName,
  payable.className,
  payable.amountFen,
  payable.items.map(({ name }) => name),
  payable.items.map(({ amountFen }) => amountFen),
];

/** A row with the sheet's own number before its values. */
export const toStagedLine = (row: number, payable: NewPayable): string => toCopyLine([row, ...toValues(payable)]);

/** The payables themselves. A row that is there twice breaks payable_student_year_key. */
export const openDirect = async (tx: Db): Promise<RowTarget> => ({
  copy: await openCopyIn(tx, `tuition_payment.payable (${copiedFields})`),
  toLines: (staged) => staged.replaceAll(/^\d+\t/gm, ""),
});

/**
 * A table of the transaction's own, where rows wait with their numbers until all are known to be good. Whatever ends the
 * transaction early, a kill included, takes them along.
 */
export async function openStaging(tx: Db): Promise<RowTarget> {
  await tx.unsafe(`
    create temporary table staged_payable on commit drop as
    select 0 as row, ${copiedFields} from tuition_payment.payable limit 0`);
  return {
    copy: await openCopyIn(tx, `staged_payable (row, ${copiedFields})`),
    toLines: (staged) => staged,
  };
}

/** Imports take turns from here on, so that what one finds in the table is still so when it writes. */
export async function takeImportTurn(tx: Db): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('import of payables', 0))`;
}

/** Rows that repeat an earlier one's student and year, each with the earlier row; the first `most`. */
export async function listRepeated(tx: Db, most: number): Promise<{ row: number; first: number }[]> {
  return tx<{ row: number; first: number }[]>`
    select row, first from (
      select row, min(row) over (partition by student_no, years) as first from staged_payable
    ) as rows where row > first order by row limit ${most}`;
}

/** Rows whose student and year are there already; the first `most`. */
export async function listKnown(tx: Db, most: number): Promise<number[]> {
  const rows = await tx<{ row: number }[]>`
    select row from staged_payable join tuition_payment.payable using (student_no, years) order by row limit ${most}`;
  return rows.map(({ row }) => row);
}

const differs = `
  (payable.student_name, payable.grade, payable.college_name, payable.major_name, payable.class_name, payable.amount_fen,
    payable.item_names, payable.item_fen, payable.id_card) is distinct from
  (new.student_name, new.grade, new.college_name, new.major_name, new.class_name, new.amount_fen,
    new.item_names, new.item_fen, coalesce(new.id_card, payable.id_card))`;

/** Rows that would change what is paid; the first `most`. The payables stay as they are until the transaction ends. */
export async function listPaidAndDifferent(tx: Db, most: number): Promise<number[]> {
  await tx.unsafe(`
    select count(*) from (
      select 1 from tuition_payment.payable join staged_payable using (student_no, years)
      order by payable.id for update of payable
    ) as held`);
  const rows = await tx.unsafe<{ row: number }[]>(
    `select new.row from staged_payable as new join tuition_payment.payable using (student_no, years)
     where paid_by is not null and ${differs} order by new.row limit $1`,
    [most],
  );
  return rows.map(({ row }) => row);
}

/** Makes the rows payables, in the order of the sheet. With `replace`, one that is there takes what differs. */
export async function storeStaged(tx: Db, replace: boolean): Promise<void> {
  if (replace)
    await tx.unsafe(`
      update tuition_payment.payable set student_name = new.student_name, id_card = coalesce(new.id_card, payable.id_card),
        grade = new.grade, college_name = new.college_name, major_name = new.major_name, class_name = new.class_name,
        amount_fen = new.amount_fen, item_names = new.item_names, item_fen = new.item_fen, updated_at = now()
      from staged_payable as new
      where (payable.student_no, payable.years) = (new.student_no, new.years) and ${differs}`);
  const rest = replace
    ? "where not exists (select from tuition_payment.payable where (payable.student_no, payable.years) = (new.student_no, new.years))"
    : "";
  await tx.unsafe(`
    insert into tuition_payment.payable (${copiedFields}) select ${copiedFields} from staged_payable as new ${rest} order by row`);
}
