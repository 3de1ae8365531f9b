import * as z from "zod";
import type { Bilingual } from "#platform/contract/language.ts";
import { isNetwork } from "#platform/contract/networks.ts";
import type { ProblemName } from "#platform/contract/problem.ts";
import { isStorable } from "#platform/contract/storable-text.ts";
import { isDateTime, parsePeriod, toDateTimeText } from "#platform/contract/times.ts";

// A complaint names its problem only if the problem is not badFormat.

export interface Complaint extends Bilingual {
  readonly problem?: ProblemName;
}

const complain = (zh: string, en: string, problem?: ProblemName): { params: { complaint: Complaint } } => ({
  params: { complaint: problem ? { zh, en, problem } : { zh, en } },
});

/** The JSON type that the documentation shows for a field that is accepted but ignored. */
export type UnreadField = "id" | "text" | "boolean";

export type Personal = "card" | "phone";

interface Traits {
  /** Whether "" is a valid value of this text. In other optional fields, "" means that the field was omitted. */
  readonly isFree?: true;
  /** With INPUT_STYLE=lenient, this function normalises old spellings; `zone` is the time zone of times in requests. */
  readonly readLeniently?: (text: string, zone: string) => string;
  readonly unread?: Readonly<Record<string, UnreadField>>;
  /** The value is masked for callers without the right to export. */
  readonly personal?: Personal;
}

// A Zod registry also finds the copies that `describe` makes of a schema; a WeakMap would not.
const traits = z.registry<Traits>();
export const traitsOf = (schema: z.core.$ZodType): Traits => traits.get(schema) ?? {};

function withTraits<T extends z.ZodType>(schema: T, more: Traits): T {
  traits.add(schema, { ...traitsOf(schema), ...more });
  return schema;
}

const asFreeText = <T extends z.ZodType>(schema: T): T => withTraits(schema, { isFree: true });

export const readLeniently = <T extends z.ZodType>(schema: T, read: NonNullable<Traits["readLeniently"]>): T =>
  withTraits(schema, { readLeniently: read });

/**
 * Documents fields that are accepted and ignored, as all unknown fields are, such as the id in a request to create a
 * record.
 */
export const ignoresFields = <T extends z.ZodObject>(schema: T, unread: Readonly<Record<string, UnreadField>>): T =>
  withTraits(schema, { unread });

export const personal = <T extends z.ZodType>(kind: Personal, schema: T): T => withTraits(schema, { personal: kind });

const countCharacters = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** @param most the maximum number of code points; a longer text is tooLong */
function boundedText(most: number) {
  const tooLong = complain(`最多${most}个字符`, `at most ${most} characters`, "tooLong");
  const unstorable = complain("含有无法存储的字符", "contains a character that cannot be stored");
  return z
    .string()
    .check(({ value, issues }) => {
      const isTooLong = value.length > most && (value.length > 2 * most || countCharacters(value) > most);
      if (isTooLong || !isStorable(value))
        issues.push({ code: "custom", input: value, ...(isTooLong ? tooLong : unstorable) });
    })
    .meta({ maxLength: most });
}

export const freeText = (most = 255) => asFreeText(boundedText(most));

export const requiredText = (most = 255) =>
  asFreeText(
    boundedText(most)
      .refine((text) => text.trim() !== "", complain("不能为空", "must not be empty"))
      .meta({ minLength: 1, maxLength: most }),
  );

export const patternText = (pattern: RegExp, most: number, says: Bilingual) =>
  checkedText((text) => pattern.test(text), most, says).meta({ pattern: pattern.source });

export const clearableText = (pattern: RegExp, most: number, says: Bilingual) =>
  asFreeText(patternText(new RegExp(`^$|${pattern.source}`, pattern.flags), most, says));

/** In phone numbers, an extension may follow 转, x or ext. */
export const phoneNumber = () =>
  patternText(/^(?=.{5,32}$)[\d +()-]+(?:(?:转|x|ext\.) *\d[\d ]*)?$/i, 32, {
    zh: "应为5到32位的数字、空格或 + - ( )，分机号可写在 转、x 或 ext. 之后",
    en: "must consist of 5 to 32 digits, spaces and + - ( ), optionally followed by an extension after 转, x or ext.",
  });

export const checkedText = (holds: (text: string) => boolean, most: number, says: Bilingual) =>
  boundedText(most).refine(holds, complain(says.zh, says.en)).meta({ maxLength: most });

export function network() {
  const says = { zh: "应为网络地址，如 10.0.0.0/8", en: "must be a network address such as 10.0.0.0/8" };
  return checkedText(isNetwork, 64, says).meta({ examples: ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"] });
}

/** The largest id is 2^53 - 1. */
export const recordId = () => z.int().min(1);

/** The interface documents specify int32. The format is only a hint for clients; larger values are accepted. */
export const asInt32 = <T extends z.ZodType>(schema: T): T => schema.meta({ format: "int32" });

const shapedText = (holds: (text: string) => boolean, zh: string, en: string, examples: string[]) =>
  z.string().refine(holds, complain(zh, en)).meta({ examples });

export function dateTime() {
  const [zh, en] = [
    "应为 yyyy-MM-dd HH:mm:ss 格式的有效时间",
    "must be a valid time in the format yyyy-MM-dd HH:mm:ss",
  ] as const;
  return readLeniently(shapedText(isDateTime, zh, en, ["2026-11-20 09:30:00"]), toDateTimeText);
}

export function period() {
  const schema = shapedText(
    (text) => parsePeriod(text, "UTC") !== undefined,
    "应为年、月、日或时间，或以逗号分隔的起止时间",
    "must be a year, month, date or time, or two of them separated by a comma",
    ["2026", "2026-11", "2026-11-20", "2026-11-01,2026-11-20"],
  );
  return readLeniently(schema, (text, zone) =>
    text
      .split(",")
      .map((part) => toDateTimeText(part, zone))
      .join(","),
  );
}

export const isDay = (text: string): boolean => isDateTime(`${text} 00:00:00`);
const dayText = (holds: (text: string) => boolean) =>
  shapedText(holds, "应为 yyyy-MM-dd 格式的有效日期", "must be a valid date in the format yyyy-MM-dd", ["2026-11-20"]);

export const day = () => dayText(isDay);

export const clearableDay = () => asFreeText(dayText((text) => text === "" || isDay(text)));

export function month() {
  const isMonth = (text: string) => isDateTime(`${text}-01 00:00:00`);
  return shapedText(isMonth, "应为 yyyy-MM 格式的月份", "must be a month in the format yyyy-MM", ["2026-11"]);
}

const richBytes = 2 * 1024 * 1024;

export const richText = () =>
  asFreeText(
    requiredText(richBytes).refine(
      (text) => Buffer.byteLength(text) <= richBytes,
      complain("最多 2 MiB", "at most 2 MiB", "tooLong"),
    ),
  );

export const mostYuan = 99_999_999.99;

/** The decimal text of the number is checked, so 0.1 + 0.2 is refused, but 19.99 is accepted. */
export const yuan = () =>
  z
    .number()
    .refine(
      (amount) => amount > 0 && amount <= mostYuan && /^\d+(?:\.\d{1,2})?$/.test(String(amount)),
      complain(
        `应为0.01到${mostYuan}之间、最多两位小数的金额`,
        `must be an amount from 0.01 to ${mostYuan} with at most two decimal places`,
      ),
    )
    .meta({ minimum: 0.01, maximum: mostYuan, examples: [6000, 4800.5] });

export const oneOfNumbers = <const T extends readonly number[]>(values: T) => z.literal(values);

export function pageQuery<const Page extends "currPage" | "curPage">(page: Page) {
  const paging = { [page]: asInt32(z.int().min(1)).default(1) } as Record<Page, z.ZodDefault<z.ZodInt>>;
  return { ...paging, pageSize: z.int().min(1).max(1000).default(10) };
}

/** A sort field that is not in `sortFields` is refused with notAllowedNow. */
export function listQuery<const Page extends "currPage" | "curPage", const Field extends string>(
  page: Page,
  sortFields: readonly [Field, ...Field[]],
) {
  const isDirection = (text: string) => /^(?:asc|desc)$/i.test(text);
  const direction = shapedText(isDirection, "应为 asc 或 desc", "must be asc or desc", ["asc", "desc"]);
  return {
    ...pageQuery(page),
    orderField: z
      .string()
      .refine(
        (text) => (sortFields as readonly string[]).includes(text),
        complain("不支持按该字段排序", "is not a sortable field", "notAllowedNow"),
      )
      .transform((text) => text as Field)
      .optional()
      .meta({ examples: [...sortFields] }),
    order: readLeniently(direction, (text) => /^(asc|desc)ending$/i.exec(text)?.[1] ?? text).optional(),
  };
}

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    totalCount: asInt32(z.int().min(0)),
    pageSize: asInt32(z.int().min(1)),
    totalPage: asInt32(z.int().min(0)),
    currPage: asInt32(z.int().min(1)),
    list: z.array(item),
  });

export const decimal = () => z.string().regex(/^\d+$/);

/** Browsers load contracts too and have no Buffer, so TextEncoder counts the bytes. */
export const countBytes = (text: string): number => new TextEncoder().encode(text).length;

export const bilingual = z.object({ zh: z.string(), en: z.string() });
