import type { Bilingual } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import { isStorable } from "#platform/contract/storable-text.ts";
import { isDay, mostYuan } from "#platform/contract/wire.ts";
import type { Db, Within } from "#platform/database/index.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { maxFaults, refuseFaulty, type RowFault } from "#platform/workbooks/import-problems.ts";
import { importTable, type TableImport } from "#platform/workbooks/import.ts";
import type { CellValue, Heading, TableRow } from "#platform/workbooks/index.ts";
import { parseItemsOf, parseYuan, writeYuan } from "./amounts.ts";
import {
  alignCards,
  findOutside,
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
import { idCardPattern, payableLengths } from "./payable-contract.ts";
import { addGrades, type NewPayable, toStoredIdCard } from "./payable-store.ts";

type Key = keyof typeof payableLengths | "idCard" | "realPayAmount" | "dueDate";

const heading = (key: Key, text: string, required = true): Heading<Key> => ({ key, texts: [text], required });

/** The sequence of the headings is that of the template's columns. A row must have 学号 or, for a new student, 身份证号. */
export const headings: readonly Heading<Key>[] = [
  { ...heading("studentNo", "学号"), unless: "idCard" },
  heading("idCard", "身份证号", false),
  heading("studentName", "姓名"),
  heading("grade", "年级"),
  heading("years", "收费年度"),
  heading("collegeName", "学院"),
  heading("majorName", "专业"),
  heading("className", "班级"),
  heading("payItemDetail", "收费项目"),
  heading("realPayAmount", "应缴金额"),
  heading("dueDate", "截止日期", false),
];

const names = Object.fromEntries(headings.map(({ key, texts }) => [key, texts[0] ?? key])) as Record<Key, string>;

export const nameField = (key: Key): string => names[key];

type Faults = RowFault[];

export function readRow({ row, cells }: TableRow<Key>, faults: Faults): NewPayable | undefined {
  const before = faults.length;
  const complain = (key: Key, { zh, en }: Bilingual) => void faults.push({ row, field: nameField(key), zh, en });
  const text = (key: keyof typeof payableLengths, required: boolean) =>
    readText(cells[key], payableLengths[key], required, (says) => complain(key, says));
  const studentNo = text("studentNo", false) || null;
  const idCard = readIdCard(cells.idCard, (says) => complain("idCard", says));
  if (studentNo === null && idCard === null && faults.length === before) complain("studentNo", nameless);
  const payable = {
    studentNo,
    idCard,
    studentName: text("studentName", true),
    grade: text("grade", true),
    years: text("years", true),
    collegeName: text("collegeName", false),
    majorName: text("majorName", false),
    className: text("className", false),
  };
  const dueDate = readDay(cells.dueDate, (says) => complain("dueDate", says));
  const detail = text("payItemDetail", true);
  const amountFen = readAmount(cells.realPayAmount, (says) => complain("realPayAmount", says));
  if (faults.length > before || amountFen === undefined) return undefined;
  const items = parseItemsOf(detail, amountFen);
  if (!("problem" in items)) return { ...payable, dueDate, amountFen, items };
  complain(items.problem === "amountWrong" ? "realPayAmount" : "payItemDetail", items);
  return undefined;
}

type Complain = (says: Bilingual) => void;

const missing: Bilingual = { zh: "不能为空", en: "must not be empty" };
const nameless: Bilingual = { zh: "学号与身份证号不能都为空", en: "is required if there is no identity card number" };
// Spreadsheet programs store numbers with 15 digits, so a longer one has been corrupted.
const mostDigits = 15;

function showCell(value: CellValue): string | undefined {
  if (typeof value === "string") return value.trim();
  if (typeof value !== "number") return undefined;
  const shown = String(Number(value.toPrecision(mostDigits)));
  return shown.includes("e") || Math.abs(value) >= 10 ** mostDigits ? undefined : shown;
}

function readText(value: CellValue | undefined, most: number, required: boolean, complain: Complain): string {
  const text = value === undefined ? "" : showCell(value);
  if (text === undefined) complain({ zh: "应为文本单元格", en: "must be a text cell" });
  else if (text === "" && required) complain(missing);
  else if (text.length > most && [...text].length > most)
    complain({ zh: `最多${most}个字符`, en: `must have at most ${most} characters` });
  else if (!isStorable(text)) complain({ zh: "含有无法存储的字符", en: "contains a character that cannot be stored" });
  else return text;
  return "";
}

/** A numeric cell with 18 digits is refused, since spreadsheet programs keep only 15 digits of a number. */
function readIdCard(value: CellValue | undefined, complain: Complain): string | null {
  const text = value === undefined ? "" : showCell(value);
  if (text === "") return null;
  if (text !== undefined && idCardPattern.test(text)) return toStoredIdCard(text);
  complain({
    zh: "应为6到32位证件号码的文本单元格",
    en: "must be a text cell with an identity card number of 6 to 32 letters and digits",
  });
  return null;
}

function readDay(value: CellValue | undefined, complain: Complain): string | null {
  const text = value === undefined ? "" : showCell(value);
  if (text === "") return null;
  if (text !== undefined && isDay(text)) return text;
  complain({ zh: "应为 yyyy-MM-dd 格式的有效日期", en: "must be a valid date in the format yyyy-MM-dd" });
  return null;
}

function readAmount(value: CellValue | undefined, complain: Complain): number | undefined {
  if (value === undefined) {
    complain(missing);
    return undefined;
  }
  const amountFen = parseYuan(showCell(value) ?? "");
  if (amountFen !== undefined && amountFen > 0) return amountFen;
  const most = writeYuan(Math.round(mostYuan * 100));
  complain({
    zh: `应为0.01到${most}之间、最多两位小数的金额`,
    en: `must be an amount from 0.01 to ${most} with at most two decimal places`,
  });
  return undefined;
}

interface ImportOrder extends Omit<TableImport<Key>, "headings" | "readRow"> {
  readonly keys: Keyring;
  readonly within: Within;
  readonly dryRun: boolean;
  readonly replace: boolean;
}

type Transact = (work: (tx: Db) => Promise<number>) => Promise<string>;

/**
 * Stores all payables or none. With `dryRun`, none is stored.
 * @throws {Problem} badFile, fileTooLarge, importFailed for invalid rows, or forbidden for a row outside the caller's
 * scope
 */
export function importPayables(
  transact: Transact,
  { keys, within, dryRun, replace, ...plan }: ImportOrder,
): Promise<string> {
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
      await matchStaged(tx);
      await refuseOutside(tx, within);
      const faults = [...rows.faults, ...(await findFaultsAmong(tx, replace))];
      refuseFaulty(faults.toSorted((a, b) => a.row - b.row));
      if (dryRun) return rows.count;
      await storeStaged(tx, replace);
      await addGrades(tx, [...grades]);
      return rows.count;
    }),
  );
}

/**
 * This check comes first, since the messages of the other checks could reveal records outside the caller's scope.
 * @throws {Problem} forbidden
 */
async function refuseOutside(tx: Db, within: Within): Promise<void> {
  const row = within.isEverywhere ? undefined : await findOutside(tx, within);
  if (row !== undefined)
    throw explain("forbidden", `第${row}行超出您的数据范围`, `row ${row} is outside your data scope`);
}

async function findFaultsAmong(tx: Db, replace: boolean): Promise<RowFault[]> {
  const repeated = (await listRepeated(tx, maxFaults)).map(({ row, first, by }) =>
    by === "studentNo"
      ? say(
          row,
          by,
          `与第${first}行的学号和收费年度相同`,
          `has the same student number and charging year as row ${first}`,
        )
      : say(
          row,
          by,
          `与第${first}行的身份证号和收费年度相同`,
          `has the same identity card number and charging year as row ${first}`,
        ),
  );
  if (replace) return [...repeated, ...(await findFaultsOfReplacing(tx))];
  const known = await listKnown(tx, maxFaults);
  const [zh, en] = [
    "该学生在该收费年度已有缴费信息",
    "the student already has a payable for this charging year",
  ] as const;
  return [...repeated, ...known.map(({ row, by }) => say(row, by, zh, en))];
}

async function findFaultsOfReplacing(tx: Db): Promise<RowFault[]> {
  const ambiguous = (await listAmbiguous(tx, maxFaults)).map((row) =>
    say(
      row,
      "idCard",
      "学号与身份证号对应不止一条缴费信息，或与前面的行对应同一条缴费信息",
      "matches more than one payable by student number and identity card number, or the same payable as an earlier row",
    ),
  );
  const paid = (await listPaidAndDifferent(tx, maxFaults)).map(({ row, by }) =>
    say(
      row,
      by,
      "该学生在该收费年度的缴费信息已缴费、已调整或在订单中，不能修改",
      "the student's payable for this charging year is paid, adjusted or in an order and cannot be changed",
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
