import { SHEET_NAMES } from "./parts.ts";
import type { KnownSheet, SheetKind } from "./parts.ts";
import type { Product } from "./products.ts";
import type { Bilingual } from "#platform/contract/language.ts";

// What is said of a file that lacks what it was sent for: what it holds, and what to send instead.

/** What a sheet was taken for; its headings where it was taken for nothing. */
export interface SeenSheet {
  /** "" for text. */
  readonly name: string;
  readonly is: KnownSheet | Product | readonly string[];
}

const MOST_SHEETS = 6;
const MOST_HEADINGS = 8;
const MOST_CHARS = 24;

const PRODUCTS: Readonly<Record<Product, Bilingual>> = {
  wecom: { zh: "企业微信的考勤导出", en: "an attendance export of WeCom (企业微信)" },
  feishu: { zh: "飞书的考勤导出", en: "an attendance export of Feishu (飞书)" },
};

/** What to send as a sheet of the kind. */
export function adviseExport(kind: SheetKind): Bilingual {
  if (kind === "identity")
    return {
      zh: "请上传含有姓名、工号、身份证号三列的表，可先下载模板",
      en: "Send a sheet with the columns 姓名, 工号 and 身份证号; there is a template for it",
    };
  const name = SHEET_NAMES[kind];
  return {
    zh: `请在钉钉的考勤报表中导出“${name}”，保留标题行和全部列，不作改动后上传`,
    en: `Export 考勤报表 "${name}" from DingTalk, with its title rows and all of its columns, and send that unchanged`,
  };
}

/** What to do where a sheet of the kind is asked for and only these are there. */
export function adviseSheet(wanted: SheetKind, seen: readonly SeenSheet[]): Bilingual {
  const shown = seen.slice(0, MOST_SHEETS).map(describeSeen);
  const more = seen.length > MOST_SHEETS ? "…" : "";
  const there: Bilingual[] =
    shown.length === 0
      ? []
      : [
          {
            zh: `${shown.map(({ zh }) => zh).join("；")}${more}`,
            en: `${shown.map(({ en }) => en).join("; ")}${more}`,
          },
        ];
  return joinSentences([...there, ...listOtherDoors(wanted, seen), adviseExport(wanted)]);
}

function describeSeen({ name, is }: SeenSheet): Bilingual {
  const [zh, en] = name === "" ? ["这份文本", "This text"] : [`“${cut(name)}”`, `"${cut(name)}"`];
  if (is === "wecom" || is === "feishu") return { zh: `${zh}是${PRODUCTS[is].zh}`, en: `${en} is ${PRODUCTS[is].en}` };
  if (typeof is === "string") return { zh: `${zh}是${SHEET_NAMES[is]}`, en: `${en} is ${SHEET_NAMES[is]}` };
  const shown = is.slice(0, MOST_HEADINGS).map(cut);
  const more = is.length > MOST_HEADINGS ? "…" : "";
  return {
    zh: `${zh}没有认出${shown.length > 0 ? `（${shown.join("、")}${more}）` : ""}`,
    en: `${en} was not recognised${shown.length > 0 ? ` (${shown.join(", ")}${more})` : ""}`,
  };
}

// Sheets that another import takes. 每日统计 comes with 月度汇总, so by itself it goes nowhere.
function listOtherDoors(wanted: SheetKind, seen: readonly SeenSheet[]): Bilingual[] {
  const kinds = (["month", "original", "identity"] as const).filter(
    (kind) => kind !== wanted && seen.some(({ is }) => is === kind),
  );
  return kinds.map((kind) => ({
    zh: `${SHEET_NAMES[kind]}请从“${SHEET_NAMES[kind]}”的导入上传`,
    en: `${SHEET_NAMES[kind]} has an import of its own`,
  }));
}

const cut = (text: string): string => (text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text);

const joinSentences = (parts: readonly Bilingual[]): Bilingual => ({
  zh: parts.map(({ zh }) => zh).join("。"),
  en: parts.map(({ en }) => en).join(". "),
});
