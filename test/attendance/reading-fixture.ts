import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type SpreadsheetDetails, SpreadsheetError, type SpreadsheetReason } from "#platform/workbooks/index.ts";
import type { DailySlot, IdentityRow, MonthRow } from "#services/attendance/model.ts";
import { type ReadRequest, readWorkbook, type WorkbookPart } from "#services/attendance/workbook/index.ts";
import {
  type BookForm,
  type Generation,
  type MonthLine,
  monthSheet,
  originalSheet,
  type PunchLine,
  type Sheet,
  writeBook,
} from "./workbooks.ts";

export const person = {
  name: "赵安",
  group: "全校",
  department: "教务处",
  workNumber: "0007",
  position: "",
  userId: "012345678901234567",
};

export const MAY = { start: "2026-05-01", end: "2026-05-31" };

export const monthOf = (generation: Generation, ...lines: readonly Partial<MonthLine>[]): Sheet => {
  const plain = { ...person, figures: { attendanceDay: "20", privateAffairLeaveDay: "152", workHours: "9120" } };
  return monthSheet({ generation, ...MAY, lines: lines.map((line) => ({ ...plain, days: ["正常"], ...line })) });
};

export const punch = {
  day: "2026-05-04",
  scheduled: "2026-05-04 08:30",
  time: "2026-05-04 08:31",
  result: "迟到",
  address: "黄家湖\t一楼\\A\n东",
};

export const punchesOf = (...lines: readonly Partial<PunchLine>[]): Sheet =>
  originalSheet({ generation: 2026, ...MAY, lines: lines.map((line) => ({ ...person, ...punch, ...line })) });

/** Each COPY line is given as its columns without escapes, with null for \N. */
export interface BookRead {
  readonly parts: readonly WorkbookPart[];
  readonly month: readonly MonthRow[];
  readonly identity: readonly IdentityRow[];
  readonly original: readonly (readonly (string | null)[])[];
  readonly daily: readonly { readonly columns: readonly (string | null)[]; readonly slots: readonly DailySlot[] }[];
  readonly skipped: number;
  readonly warnings: readonly string[];
  readonly badRows: readonly string[];
}

type Request = Partial<ReadRequest> & Pick<ReadRequest, "path">;

export async function readAll(request: Request): Promise<BookRead> {
  const all = { sheets: ["month", "daily", "original", "identity"], needed: [] } as const;
  const parts = await Array.fromAsync(readWorkbook({ ...all, ...request }));
  const lines = (sheet: "original" | "daily"): (string | null)[][] =>
    parts.flatMap((part) => (part.kind === "copy" && part.sheet === sheet ? splitLines(part.text, part.count) : []));
  return {
    parts,
    month: parts.flatMap((part) => (part.kind === "rows" && part.sheet === "month" ? part.rows : [])),
    identity: parts.flatMap((part) => (part.kind === "rows" && part.sheet === "identity" ? part.rows : [])),
    original: lines("original"),
    daily: lines("daily").map((columns) => ({ columns, slots: JSON.parse(columns[6] ?? "[]") as DailySlot[] })),
    skipped: parts.reduce((sum, part) => sum + (part.kind === "skipped" ? part.count : 0), 0),
    warnings: parts.flatMap((part) => (part.kind === "warning" ? [part.message.en] : [])),
    badRows: parts.flatMap((part) => (part.kind === "bad-row" ? [`${part.row} ${part.field} ${part.message.en}`] : [])),
  };
}

/** Matches an error's reason and details, but not its advice. */
export const saying =
  (reason: SpreadsheetReason, expected: SpreadsheetDetails) =>
  (error: unknown): true => {
    assert.ok(error instanceof SpreadsheetError, String(error));
    const { advice: _advice, ...details } = error.details;
    assert.deepEqual([error.reason, details], [reason, expected]);
    return true;
  };

export const readSheets = (
  sheets: readonly Sheet[],
  request: Omit<Request, "path"> = {},
  form: BookForm = {},
): Promise<BookRead> =>
  withFile(async (file) => {
    await writeBook(file, sheets, form);
    return readAll({ path: file, ...request });
  });

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v" };

function splitLines(bytes: Uint8Array, count: number): (string | null)[][] {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const lines = text.split("\n").slice(0, -1);
  if (lines.length !== count || !text.endsWith("\n"))
    throw new Error(`${lines.length} lines where ${count} were announced`);
  return lines.map((line) => line.split("\t").map(unescape));
}

function unescape(value: string): string | null {
  return value === String.raw`\N`
    ? null
    : value.replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
}

export async function withFile<Result>(work: (file: string) => Promise<Result>, name = "book.xlsx"): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), "attendance-"));
  try {
    return await work(path.join(folder, name));
  } finally {
    await rm(folder, { recursive: true });
  }
}
