import type { Bilingual } from "#platform/contract/language.ts";
import type { Units } from "#services/attendance/model.ts";
import {
  type DayRun,
  daysOf,
  findOwner,
  intersect,
  listComputedDays,
  listDays,
  type Period,
  writeRun,
  writeRuns,
} from "./days.ts";
import {
  type Day,
  copiedColumns,
  type CopiedField,
  copiedFields,
  type HeldField,
  heldFields,
  isCopied,
  type MonthRow,
  type SourceRow,
  type Span,
  type Summary,
  type Unit,
  warnIf,
} from "./model.ts";

export interface Composition {
  readonly month: string;
  readonly days: DayRun;
  readonly spans: readonly Span[];
  readonly computed: ReadonlySet<Day>;
  readonly plan: FigurePlan;
  /**
   * For each compared figure, the days that the export's sum covers; undefined if the column has no counts, or some of
   * these days are not computed (A12b).
   */
  readonly held: Readonly<Partial<Record<HeldField, ReadonlySet<Day>>>>;
  readonly cellImports: readonly (number | undefined)[];
}

/** @param sheets the imports that provide days of the month sheet, newest first */
export function composeBasis(period: Period, spans: readonly Span[], sheets: readonly SheetFigures[]): Composition {
  const days = daysOf(period);
  const [computed, plan] = [listComputedDays(spans), planFigures(days, sheets)];
  const held = Object.fromEntries(heldFields.map((field) => [field, findSummedDays(field, plan, sheets, computed)]));
  const cellImports = listDays(days).map((day) => findOwner(spans, "month", day));
  return { month: period.month, days, spans, computed, plan, held, cellImports };
}

function findSummedDays(
  field: HeldField,
  { sources, writings, units }: FigurePlan,
  sheets: readonly SheetFigures[],
  computed: ReadonlySet<Day>,
): ReadonlySet<Day> | undefined {
  const used = sheets.filter(({ importId }) => sources[field].includes(importId));
  const isComputed = used.every((sheet) => listDays(sheet).every((day) => computed.has(day)));
  const isCount =
    writings[field] === "number" && (units[field] ?? copiedColumns[field].unit) === copiedColumns[field].unit;
  return isCount && isComputed ? new Set(used.flatMap(listDays)) : undefined;
}

/**
 * Composes an employee's row from several imports. A day's cell is from the import that provides the day, and figures
 * are summed according to the plan.
 */
export function composeEmployee(
  who: Omit<Summary, "copied" | "extra" | "days" | "sources">,
  sources: readonly SourceRow[],
  { plan, cellImports }: Composition,
): Summary {
  const days = cellImports.map((importId, index) => findCell(sources, importId, index)?.days[index] ?? "");
  const compose = (field: string) => {
    const texts = sources.flatMap(({ importId, copied }) =>
      plan.sources[field]?.includes(importId) ? (copied[field] ?? "") : [],
    );
    return [field, addFigures(texts, plan.writings[field])] as const;
  };
  const copied = Object.fromEntries(copiedFields.map(compose)) as Record<CopiedField, string>;
  return {
    ...who,
    sources,
    days,
    copied,
    extra: Object.fromEntries(plan.extra.map(compose).filter(([, text]) => text !== "")),
  };
}

export const findCell = (
  sources: readonly SourceRow[],
  importId: number | undefined,
  index: number,
): SourceRow | undefined => sources.find((source) => source.importId === importId && source.days[index]);

/** A duration is a text such as 1小时43分钟. Columns of "text" cannot be summed. */
type Writing = "number" | "duration" | "text";

interface ColumnKind {
  readonly unit: Unit | "";
  /** The unit in the column's heading, even if it is the default unit. Imports stored by earlier releases lack it. */
  readonly said?: Unit | "";
  readonly writing: Writing;
}

export type ColumnKinds = Readonly<Partial<Record<string, ColumnKind>>>;

const blank = /^(?:0(?:\.0+)?)?$/;
// Only figures up to this length are summed, since sums of longer ones would be inexact. Longer figures do not occur.
const decimal = /^-?\d{1,9}(?:\.\d{1,4})?$/;
const duration = /^(?:(\d{1,9})小时)?(?:(\d{1,9})分钟?)?$/;

export function readMinutes(text: string): number | null {
  const found = text === "" ? null : duration.exec(text);
  return found && Number(found[1] ?? 0) * 60 + Number(found[2] ?? 0);
}

/** @param isZeroSaid whether to write 0分钟 after a whole number of hours */
export function writeMinutes(minutes: number, isZeroSaid = false): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return (hours > 0 ? `${hours}小时` : "") + (rest > 0 || (isZeroSaid && hours > 0) ? `${rest}分钟` : "");
}

export const headingOf = (field: string): string =>
  (isCopied(field) ? copiedColumns[field].headings[0] : undefined) ?? field;

export function watchKinds() {
  const seen = new Map<string, Writing | undefined>();
  return {
    see(copied: MonthRow["copied"]) {
      for (const [field, text] of Object.entries(copied)) {
        const before = seen.get(field);
        if (before === undefined) seen.set(field, undefined);
        if (before === "text" || blank.test(text)) continue;
        const writing = decimal.test(text) ? "number" : duration.test(text) ? "duration" : "text";
        seen.set(field, before === undefined || before === writing ? writing : "text");
      }
    },
    /**
     * @param present the columns of the sheet. If a column of `heldFields` is present but has only blanks, it counts as
     * a column of numbers, since a blank counts as 0.
     */
    list: ({ units, said }: { readonly units: Units; readonly said: Units }, present: readonly CopiedField[] = []) => {
      for (const field of heldFields) if (present.includes(field) && !seen.get(field)) seen.set(field, "number");
      return Object.fromEntries(
        [...seen].flatMap(([field, writing]): [string, ColumnKind][] =>
          writing ? [[field, { unit: units[field] ?? "", said: said[field] ?? "", writing }]] : [],
        ),
      );
    },
  };
}

export interface SheetFigures extends DayRun {
  readonly importId: number;
  readonly kinds: ColumnKinds;
}

export interface FigurePlan {
  readonly sources: Readonly<Record<CopiedField, readonly number[]> & Partial<Record<string, readonly number[]>>>;
  readonly writings: Readonly<Partial<Record<string, Writing>>>;
  readonly units: Units;
  readonly extra: readonly string[];
  readonly warnings: readonly Bilingual[];
}

/**
 * Chooses the imports from which each figure of the month is summed (A2). Imports within the month are summed. If some
 * of them have days in common, or write a column with different units or formats, only the newest counts. An import
 * that extends beyond the month cannot be split, so it counts only if it is the only import.
 * @param sheets the imports that provide days of the month, newest first
 */
export function planFigures(month: DayRun, sheets: readonly SheetFigures[]): FigurePlan {
  const [counted, overlapped, beyond]: [SheetFigures[], SheetFigures[], SheetFigures[]] = [[], [], []];
  for (const sheet of sheets)
    if (sheet.firstDay < month.firstDay || sheet.lastDay > month.lastDay) beyond.push(sheet);
    else (counted.some((newer) => intersect(newer, sheet)) ? overlapped : counted).push(sheet);
  const isWhole = counted.length === 0 && beyond.length === 1;
  const used = isWhole ? beyond : counted;
  const extra = [...new Set(used.flatMap(({ kinds }) => Object.keys(kinds)))].filter((field) => !isCopied(field));
  const fields = [...copiedFields, ...extra].map((field) => chooseSources(field, used));
  return {
    extra,
    sources: Object.fromEntries(fields.map(({ field, sources }) => [field, sources])) as FigurePlan["sources"],
    writings: Object.fromEntries(fields.flatMap(({ field, kind }) => (kind ? [[field, kind.writing]] : []))),
    units: Object.fromEntries(
      fields.flatMap(({ field, kind }) => {
        const unit = kind?.unit || kind?.said;
        return unit ? [[field, unit]] : [];
      }),
    ),
    warnings: [
      ...overlapped.map((sheet) => ({
        zh: `${writeRun(sheet)} 的月度汇总与更新的导入日期重叠，其统计列未计入`,
        en: `The 月度汇总 of ${writeRun(sheet, "day", "en")} overlaps a newer import; its summary columns are not counted`,
      })),
      ...beyond.map((sheet) => warnOfBeyond(sheet, isWhole)),
      ...warnIf(
        used.length === 0 && sheets.length > 0,
        "统计列没有可用的数据",
        "No data is available for the summary columns",
      ),
      ...warnIf(
        used.length > 0 && used.length < sheets.length,
        `统计列只含 ${writeRuns(used)} 的数据`,
        `The summary columns only contain data for ${writeRuns(used, "en")}`,
      ),
      ...fields.flatMap(({ warnings }) => warnings),
    ],
  };
}

function warnOfBeyond(sheet: SheetFigures, isWhole: boolean): Bilingual {
  const [zh, en] = [writeRun(sheet, "date"), writeRun(sheet, "date", "en")];
  if (isWhole)
    return {
      zh: `统计列是 ${zh} 的合计，无法按月拆分`,
      en: `The summary columns cover ${en} and cannot be split by month`,
    };
  return {
    zh: `${zh} 的月度汇总跨月，无法按月拆分，其统计列未计入`,
    en: `The 月度汇总 of ${en} extends beyond the month and cannot be split; its summary columns are not counted`,
  };
}

function chooseSources(field: string, used: readonly SheetFigures[]) {
  const holding = used.filter(({ kinds }) => kinds[field] !== undefined);
  const [newest] = holding;
  const kind = newest?.kinds[field];
  const isOne =
    holding.length < 2 ||
    (kind?.writing !== "text" &&
      holding.every(({ kinds }) => kinds[field]?.unit === kind?.unit && kinds[field]?.writing === kind?.writing));
  const sources: readonly number[] = (isOne || !newest ? used : [newest])
    .toSorted((left, right) => left.firstDay - right.firstDay)
    .map(({ importId }) => importId);
  const warnings = isOne || !newest ? [] : [warnOfUnits(field, newest, holding)];
  return { field, sources, kind, warnings };
}

function warnOfUnits(field: string, newest: SheetFigures, holding: readonly SheetFigures[]): Bilingual {
  const list = (words: Readonly<Record<Writing, string>>, separator: string): string => {
    const kinds = holding.flatMap(({ kinds: columns }) => columns[field] ?? []);
    const written = kinds.map(({ unit, writing }) => {
      const standard = writing === "number" && isCopied(field) ? copiedColumns[field].unit : words[writing];
      return unit || standard;
    });
    return [...new Set(written)].join(separator);
  };
  const heading = headingOf(field);
  const zh = list({ number: "数字", duration: "时长", text: "文字" }, "、");
  const en = list({ number: "number", duration: "duration", text: "text" }, ", ");
  return {
    zh: `${heading}的单位或写法不一（${zh}），未相加，只取 ${writeRun(newest)} 的`,
    en: `${heading} has different units or formats (${en}) and was not added up; only ${writeRun(newest, "day", "en")} is used`,
  };
}

/**
 * Sums up texts. If they cannot be summed, the result is the first text that is neither blank nor 0. If there is no
 * such text, the result is the first 0, or blank.
 */
export function addFigures(texts: readonly string[], writing: Writing | undefined): string {
  const filled = texts.filter((text) => text !== "");
  const counting = filled.filter((text) => !blank.test(text));
  if (counting.length < 2 || writing === undefined || writing === "text") return counting[0] ?? filled[0] ?? "";
  if (writing === "number") {
    const decimals = Math.max(...counting.map((text) => text.split(".")[1]?.length ?? 0));
    return String(Number(counting.reduce((sum, text) => sum + Number(text), 0).toFixed(decimals)));
  }
  const minutes = counting.reduce((sum, text) => sum + (readMinutes(text) ?? 0), 0);
  if (minutes === 0) return counting[0] ?? "";
  return writeMinutes(
    minutes,
    counting.some((text) => text.includes("小时0分钟")),
  );
}
