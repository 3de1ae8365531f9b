import { SpreadsheetError } from "#platform/workbooks/index.ts";
import type { SheetFile } from "#platform/workbooks/open-workbook.ts";
import { adviseExport, adviseSheet, type SeenSheet, severalMonths, type Product } from "./advice.ts";
import { normalize, SHEET_NAMES, stripUnit } from "./headings.ts";
import type { ReadOrder, SheetKind } from "./parts.ts";
import {
  findFault,
  findLayout,
  isHeadingRow,
  kindOfName,
  LAST_HEADING_ROW,
  type Layout,
  type TextRow,
} from "./layout.ts";
import { listMonths } from "./times.ts";

export interface FoundSheet {
  readonly file: SheetFile;
  readonly kind: SheetKind;
  readonly layout: Layout;
  /** Whether a missing 月度汇总 is derived from this sheet (A1a). */
  readonly standsIn: boolean;
  readonly alike: readonly string[];
}

interface Candidate {
  readonly file: SheetFile;
  readonly isNamed: boolean;
  readonly layout: Layout;
}

export interface LookedAt {
  readonly candidates: readonly Candidate[];
  readonly seen: readonly SeenSheet[];
  /** Sheets whose name is known but that lack the headings of their kind. */
  readonly hollow: readonly { readonly kind: SheetKind; readonly fault: SpreadsheetError | undefined }[];
}

export async function lookAtSheets(files: readonly SheetFile[]): Promise<LookedAt> {
  const candidates: Candidate[] = [];
  const seen: SeenSheet[] = [];
  const hollow: LookedAt["hollow"][number][] = [];
  for (const file of files) {
    const named = kindOfName(file.name);
    const { rows, isWhole } = await readFirstRows(file);
    const product = findProduct(file.name, rows);
    const layout = product === undefined ? findLayout(rows, named) : undefined;
    // The first row with more than one text is used to describe the sheet. Texts with four digits in a row are left
    // out, since they may identify a person.
    const texts = rows.map((row) => row.texts.filter((text) => text !== "" && !/\d{4}/.test(text)));
    seen.push({ name: file.name, is: product ?? layout?.kind ?? texts.find(({ length }) => length > 1) ?? [] });
    if (layout !== undefined) candidates.push({ file, isNamed: named !== undefined, layout });
    else if (product === undefined && named !== undefined && named !== "clock-times")
      hollow.push({ kind: named, fault: findHollow(named, file.name, isWhole ? texts : undefined) });
  }
  return { candidates, seen, hollow };
}

const findHollow = (kind: SheetKind, sheet: string, rows: readonly (readonly string[])[] | undefined) =>
  rows === undefined || rows.some(({ length }) => length > 1)
    ? findFault({}, kind, sheet)
    : new SpreadsheetError("empty-sheet", { sheet, advice: adviseExport(kind) });

/**
 * @throws {SpreadsheetError} that describes what was found instead, what a sheet lacks, or that the sheets are for
 * different months
 */
export function chooseSheets(
  { candidates, seen, hollow }: LookedAt,
  order: Pick<ReadOrder, "sheets" | "needed" | "periodStart" | "month">,
) {
  for (const { kind, fault } of hollow) if (fault && order.sheets.includes(kind)) throw fault;
  const own = order.sheets.flatMap((kind) => chooseSheet(candidates, kind));
  const isStoodIn = order.needed.includes("month") && !own.some(({ kind }) => kind === "month");
  const daily = own.filter(({ kind }) => kind === "daily");
  const standIns = !isStoodIn ? [] : daily.length > 0 ? daily : chooseSheet(candidates, "clock-times");
  const found = standIns.length > 0 ? standIns.map((sheet) => ({ ...sheet, standsIn: true })) : own;
  const lacking = order.needed.find((kind) => !found.some((sheet) => sheet.kind === kind || sheet.standsIn));
  const wanted = lacking ?? (found.length === 0 ? order.sheets[0] : undefined);
  if (wanted !== undefined)
    throw new SpreadsheetError("no-sheet", { sheet: SHEET_NAMES[wanted], advice: adviseSheet(wanted, seen) });
  const titled = found.flatMap(({ layout }) => (layout.range ? [listMonths(layout.range, order.periodStart)] : []));
  const months = [...new Set(titled.flat())].toSorted();
  // The first sheet has no rows for the other months of a sheet beside it, so a month must have been chosen.
  const isNarrow = order.month === null && titled[0]?.length === 1;
  if (months.length > 1 && (isNarrow || titled.every(({ length }) => length === 1))) throw severalMonths(months);
  return { found, months };
}

// Titles are shorter than MOST_CHARS. Reading stops early if a sheet is so wide that its first rows have more than
// MOST_CELLS cells.
const MOST_CHARS = 256;
const MOST_CELLS = 20_000;

/**
 * Reads the rows that may be titles or headings, up to the row after the first one for which `isHeadingRow` is true.
 * `isWhole` is true if reading reached the end of the sheet before that.
 */
async function readFirstRows(file: SheetFile): Promise<{ readonly rows: TextRow[]; readonly isWhole: boolean }> {
  const source = file.open();
  const rows: TextRow[] = [];
  let [isEnough, hasHeadings, cells] = [false, false, 0];
  const take = source.run(({ row, raws, kinds }) => {
    isEnough ||= row > LAST_HEADING_ROW;
    if (isEnough) return source.choose([]);
    const texts = raws.map((raw, slot) => source.decode(raw, kinds[slot] ?? 0, MOST_CHARS).trim());
    cells += texts.length;
    isEnough = hasHeadings || cells > MOST_CELLS;
    hasHeadings = isHeadingRow({ row, texts });
    if (isEnough) source.choose([]);
    if (texts.some((text) => text !== "")) rows.push({ row, texts });
  });
  for await (const _ of take) if (isEnough) break;
  return { rows, isWhole: !isEnough };
}

function chooseSheet(candidates: readonly Candidate[], kind: SheetKind): FoundSheet[] {
  const alike = candidates.filter(({ layout }) => layout.kind === kind);
  const isSound = ({ layout, file }: Candidate) => findFault(layout, kind, file.name) === undefined;
  const chosen = alike.find(({ isNamed }) => isNamed) ?? alike.find(isSound) ?? alike[0];
  if (chosen === undefined) return [];
  const fault = findFault(chosen.layout, kind, chosen.file.name || SHEET_NAMES[kind]);
  if (fault) throw fault;
  const others = alike.filter((candidate) => candidate !== chosen && isSound(candidate));
  return [
    { file: chosen.file, kind, layout: chosen.layout, standsIn: false, alike: others.map(({ file }) => file.name) },
  ];
}

const WECOM_WORDS = /^(?:概况统计与打卡明细|打卡详情|上下班打卡_?(?:日报|月报)|打卡(?:日报|月报))/;
const OWN_TITLE = /统计日期|报表生成时间/;
// DingTalk has none of these headings, so two of them show that another product made the sheet.
const HEADINGS: Readonly<Record<Product, RegExp>> = {
  wecom:
    /^(?:账号|所属规则|最早|最晚|打卡次数|标准工作时长|实际工作时长|假勤申请|校准状态|实际打卡时间|打卡状态|应打卡天数|正常天数|异常天数)$/,
  feishu:
    /^(?:休息或未排班天数|实际出勤天数|实际出勤时长|应出勤时长|班内工作时长|缺勤时长|缺卡次数|人员类型|员工状态|[上下]班\d?打卡地点|[上下]班\d?修改原因)$/,
};
const ENOUGH = 2;

function findProduct(name: string, rows: readonly TextRow[]): Product | undefined {
  const texts = rows.flatMap((row) => row.texts).filter((text) => text !== "");
  if (WECOM_WORDS.test(normalize(name)) || texts.slice(0, 2).some((text) => WECOM_WORDS.test(normalize(text))))
    return "wecom";
  const headings = new Set(texts.map(stripUnit));
  if (headings.has("userid") || texts.some((text) => OWN_TITLE.test(text))) return undefined;
  const count = (product: Product): number => [...headings].filter((text) => HEADINGS[product].test(text)).length;
  const [wecom, feishu] = [count("wecom"), count("feishu")];
  if (Math.max(wecom, feishu) < ENOUGH) return undefined;
  return wecom > feishu ? "wecom" : "feishu";
}
