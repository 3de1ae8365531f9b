import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { columnLetters } from "#platform/workbooks/sheet-xml.ts";
import { buildArchive, buildWorkbook, wrapRows } from "#test/archive-fixture.ts";
import { readAll, withFile } from "#test/attendance/reading-fixture.ts";
import { makeMonth, monthSheet, writeBook } from "#test/attendance/workbooks.ts";
import { normalize } from "./headings.ts";
import { mapDays } from "./times.ts";

// Small files that would cost a core a minute, were a text put into its canonical form, or searched, before its length is
// judged. What is asserted is how the work grows, or that it is done at all within the limit of a reading.

/** Combining marks in the order that costs their canonical form most: its time grows with the square of their number. */
const marks = (count: number): string => "\u0315".repeat(count / 2) + "\u0316".repeat(count / 2);
const shared = (rows: string, texts: readonly string[]): Buffer =>
  buildArchive(
    buildWorkbook(wrapRows(rows), {
      "xl/sharedStrings.xml": `<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`,
      // Not packed: the ratio of such texts gives them away.
    }).map((entry) => ({ ...entry, stored: true })),
  );
const row = (number: number, cells: number): string =>
  `<row r="${number}">${Array.from({ length: cells }, (_, column) => `<c r="${columnLetters(column)}${number}" t="s"><v>${column}</v></c>`).join("")}</row>`;

/** The processor time of this process while `work` runs, its threads included, in milliseconds. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const readFileOf = (content: Buffer) =>
  withFile(async (file) => {
    await writeFile(file, content);
    return readAll({ path: file }).catch((error: unknown) => error);
  });

test("headings of combining marks cost no more than other long texts", async () => {
  const plain = await cost(() =>
    readFileOf(
      shared(
        row(1, 120),
        Array.from({ length: 120 }, () => "a".repeat(32_000)),
      ),
    ),
  );
  const hostile = await cost(() =>
    readFileOf(
      shared(
        row(1, 120),
        Array.from({ length: 120 }, () => marks(32_000)),
      ),
    ),
  );
  assert.ok(hostile < plain + 2000, `${Math.round(hostile)} ms, where plain text takes ${Math.round(plain)} ms`);
});

test("a heading is looked at up to its length only", () => {
  assert.equal(normalize("　工 作 时长（分钟）"), "工作时长(分钟)");
  assert.equal(normalize(marks(300)), "");
});

test("1,000 columns that may be days cost no squares", () => {
  let reads = 0;
  const labels = Array.from({ length: 1000 }, (_, column) => ({
    column,
    get label(): string {
      reads += 1;
      return column === 999 ? "77" : "日";
    },
  }));
  mapDays(labels, { start: "2025-05-01", end: "2026-05-31" }, "2026-05");
  assert.ok(reads < 20 * labels.length, `${reads} looks at 1,000 labels`);
});

test("100 rows of 1,000 long cells above no headings are passed over like short ones", async () => {
  const rows = Array.from({ length: 100 }, (_, index) => row(index + 1, 1000))
    .join("")
    .replaceAll(/<v>\d+</g, "<v>0<");
  const short = await cost(() => readFileOf(shared(rows, ["x"])));
  const long = await cost(() => readFileOf(shared(rows, ["x".repeat(32_000)])));
  assert.ok(long < short + 2000, `${Math.round(long)} ms, where short cells take ${Math.round(short)} ms`);
});

test("what is long in a cell that is read stays whole", async () => {
  const made = makeMonth({ month: "2026-05", people: 1, seed: 1, generation: 2026 });
  const [line] = made.monthLines;
  assert.ok(line);
  const long = "长".repeat(30_000);
  await withFile(async (file) => {
    await writeBook(file, [
      monthSheet({
        generation: 2026,
        start: "2026-05-01",
        end: "2026-05-31",
        lines: [{ ...line, name: long, days: [long] }],
      }),
    ]);
    const { month } = await readAll({ path: file });
    assert.deepEqual([month[0]?.name, month[0]?.days[0]], [long, long]);
  });
});
