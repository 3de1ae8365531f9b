import type { Bilingual } from "#platform/contract/language.ts";
import { SpreadsheetError } from "#platform/workbooks/index.ts";
import { SHEET_NAMES } from "./headings.ts";
import type { DayRange, SheetKind } from "./parts.ts";

export interface SeenSheet {
  readonly name: string;
  readonly is: SheetKind | Product | readonly string[];
}

const MOST_SHEETS = 6;
const MOST_HEADINGS = 8;
const MOST_CHARS = 24;

export type Product = "wecom" | "feishu";

const PRODUCTS: Readonly<Record<Product, Bilingual>> = {
  wecom: { zh: "企业微信的考勤导出", en: "an attendance export of WeCom (企业微信)" },
  feishu: { zh: "飞书的考勤导出", en: "an attendance export of Feishu (飞书)" },
};

export function describeElsewhere({ start, end }: DayRange, month: string): Bilingual {
  const [zh, en] = start === end ? [start, start] : [`${start} 至 ${end}`, `${start} to ${end}`];
  return {
    zh: `统计日期是 ${zh}，不含所填的 ${month}`,
    en: `the title states ${en}, which is outside the given month ${month}`,
  };
}

export const describeEmpty = (sheet: string, month?: string): Bilingual => ({
  zh: `${sheet}没有${month === undefined ? "" : ` ${month} 的`}数据行，未导入任何数据；如确无数据，请填写 allowEmpty=true`,
  en: `${sheet} has no rows${month === undefined ? "" : ` for ${month}`}, so nothing was imported; if this is intended, send allowEmpty=true`,
});

export function adviseExport(kind: SheetKind): Bilingual {
  if (kind === "identity")
    return {
      zh: "请上传含有姓名、工号、身份证号三列的表，可先下载模板",
      en: "Upload a sheet with the columns 姓名, 工号 and 身份证号; a template can be downloaded",
    };
  const name = SHEET_NAMES[kind];
  return {
    zh: `请在钉钉的考勤报表中导出“${name}”，保留标题行和全部列，不作改动后上传`,
    en: `Export "${name}" from the attendance reports (考勤报表) of DingTalk with its title rows and all columns, and upload it unchanged`,
  };
}

export function adviseSheet(wanted: SheetKind, seen: readonly SeenSheet[]): Bilingual {
  const kinds = [...Map.groupBy(seen, (sheet) => (typeof sheet.is === "string" ? sheet.is : sheet)).values()];
  const shown = kinds.slice(0, MOST_SHEETS).map(describeSeen);
  const more = kinds.length > MOST_SHEETS ? "…" : "";
  const there = { zh: shown.map(({ zh }) => zh).join("；") + more, en: shown.map(({ en }) => en).join("; ") + more };
  // Lists the imports that accept the sheets found. The import of 月度汇总 also accepts the sheets from which 月度汇总
  // can be derived.
  const doors = (["month", "daily", "clock-times", "original", "identity"] as const)
    .filter((kind) => kind !== wanted && seen.some(({ is }) => is === kind))
    .map((kind) => ({
      name: SHEET_NAMES[kind],
      door: SHEET_NAMES[kind === "daily" || kind === "clock-times" ? "month" : kind],
    }))
    .map(({ name, door }) => ({
      zh: `${name}请在“${door}”的导入中上传`,
      en: `upload ${name} where ${door} is imported`,
    }));
  const sentences = [...(shown.length > 0 ? [there] : []), ...doors, adviseExport(wanted)];
  return { zh: sentences.map(({ zh }) => zh).join("。"), en: sentences.map(({ en }) => en).join(". ") };
}

export const warnOfProducts = (seen: readonly SeenSheet[]): Bilingual[] =>
  [...Map.groupBy(seen, ({ is }) => is)]
    .filter(([is]) => is === "wecom" || is === "feishu")
    .map(([, alike]) => {
      const { zh, en } = describeSeen(alike);
      return { zh: `${zh}，未读取`, en: `${en} and ${alike.length > 1 ? "were" : "was"} not read` };
    });

function describeSeen(alike: readonly SeenSheet[]): Bilingual {
  const { is = [] } = alike[0] ?? {};
  const names = alike.map(({ name }) => name).slice(0, MOST_SHEETS);
  const more = alike.length > MOST_SHEETS ? "…" : "";
  const isText = names.every((name) => name === "");
  const zh = isText ? "这份文本" : names.map((name) => `“${cut(name)}”`).join("、") + more;
  const en = isText ? "This text" : names.map((name) => `"${cut(name)}"`).join(", ") + more;
  const verb = alike.length > 1 ? "are" : "is";
  if (is === "wecom" || is === "feishu")
    return { zh: `${zh}是${PRODUCTS[is].zh}`, en: `${en} ${verb} ${PRODUCTS[is].en}` };
  if (typeof is === "string") return { zh: `${zh}是${SHEET_NAMES[is]}`, en: `${en} ${verb} ${SHEET_NAMES[is]}` };
  const shown = is.slice(0, MOST_HEADINGS).map(cut);
  const rest = is.length > MOST_HEADINGS ? "…" : "";
  return {
    zh: `${zh}无法识别${shown.length > 0 ? `（${shown.join("、")}${rest}）` : ""}`,
    en: `${en} was not recognised${shown.length > 0 ? ` (${shown.join(", ")}${rest})` : ""}`,
  };
}

const cut = (text: string): string => (text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text);

/** A missing title is reported as a missing heading (统计日期), since the title states the days. */
const MONTH_HEADING = "统计日期";

export function needsMonth(error: SpreadsheetError): boolean {
  return error.reason === "missing-heading" && error.details.headings?.[0] === MONTH_HEADING;
}

export function monthNeeded(sheet: string, months: readonly string[] = []): SpreadsheetError {
  const [zh, en] = [sheet || "文件", sheet || "the text"];
  const rows =
    months.length > 1
      ? [`，各行又属于 ${months.join("、")} 等月`, `, and its rows belong to ${months.join(", ")}`]
      : ["", ""];
  const advice = {
    zh: `month: ${zh}没有标题行（“统计日期：2026-05-01 至 2026-05-31”这样的一行）${rows[0]}，无法确定月份；请填写 yyyy-MM，或上传保留标题行的原始导出`,
    en: `month: ${en} has no title row (such as "统计日期：2026-05-01 至 2026-05-31")${rows[1]}; specify the month as yyyy-MM, or upload the original export with its title row`,
  };
  return new SpreadsheetError("missing-heading", { sheet, headings: [MONTH_HEADING], advice });
}

export const severalMonths = (months: readonly string[]): SpreadsheetError =>
  new SpreadsheetError("double-heading", {
    headings: [MONTH_HEADING],
    advice: {
      zh: `各工作表分属 ${months.join("、")}，请每次上传一个月的`,
      en: `The sheets are for ${months.join(", ")}; upload one month at a time`,
    },
  });

/** Messages do not quote the cell, since its text may be personal data. */
export function describeBadCell(reason: "day" | "time" | "no-time"): Bilingual {
  if (reason === "day") return { zh: "日期无效", en: "is not a valid date" };
  if (reason === "time") return { zh: "时间无效", en: "is not a valid time" };
  return {
    zh: "没有打卡时间；打卡结果为缺卡、未打卡、请假、出差、外出、加班或打卡无效时才可为空",
    en: "is blank; it may only be blank for the results 缺卡, 未打卡, 请假, 出差, 外出, 加班 and 打卡无效",
  };
}
