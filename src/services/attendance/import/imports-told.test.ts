import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import http from "node:http";
import { describe, test } from "node:test";
import { buildArchive, buildWorkbook, wrapRows } from "#test/archive-fixture.ts";
import { columnLetters } from "#platform/workbooks/sheet-xml.ts";
import { startTestApp } from "#test/app.ts";
import { type ImportName, importPaths, openAttendance, waitUntil } from "#test/attendance/calls.ts";
import { makeMonth, writeBook } from "#test/attendance/workbooks.ts";

// What callers hear of files that are not as they should be, and what becomes of callers who hang up.

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, sendBytes } = await openAttendance(app, token);
const made = makeMonth({ month: "2026-05", people: 3, seed: 3, generation: 2026 });
const countImports = async (): Promise<number> => (await get("imports")).json.data.totalCount;

describe("an import", () => {
  const wrong: readonly (readonly [ImportName, string, RegExp])[] = [
    ["month", "姓名,账号,所属规则,最早,最晚\n甲,a,规则,08:20,18:00\n", /企业微信.*钉钉/s],
    ["original", "姓名;日期;上班打卡地点;实际出勤时长\n甲;2026-05-04;楼;8\n", /飞书.*原始记录/s],
    ["work", "姓名\t部门\n甲\t教务处\n", /没有认出（姓名、部门）.*身份证号/s],
  ];
  for (const [to, text, expected] of wrong) {
    test(`of another product's export or of nothing known is told so: ${to}`, async () => {
      const { status, json } = await sendBytes(to, "x.csv", text);
      assert.deepEqual([status, json.code], [400, "10030"]);
      assert.match(json.message, expected);
      const [latest] = (await get("imports")).json.data.list;
      assert.equal(latest.outcome, "failed");
      assert.match(latest.waring, expected);
    });
  }

  test("without a title names what the month is to be told by", async () => {
    const { status, json } = await send("month", [{ ...made.monthSheet, head: made.monthSheet.head.slice(2) }]);
    assert.deepEqual([status, json.code], [400, "10001"]);
    assert.match(json.message, /month: .*没有标题行/);
  });

  test("tells of units, totals and ids that are of no use, in the language of the caller", async () => {
    const total = ["合计", null, null, null, null, null, "60"];
    const ruined = ["钱安", null, null, null, null, "2.90839E+17", "20"];
    const { json } = await send("month", [{ ...made.monthSheet, rows: [...made.monthSheet.rows, ruined, total] }]);
    assert.deepEqual([json.code, json.data.employees], ["0", 4]);
    for (const expected of [/事假\(小时\)（字段为天）/, /1 行是合计或签字/, /1 行（1 个姓名）的UserId.*2\.90839E\+17/])
      assert.match(json.data.waring, expected);
  });
});

/** An upload whose bytes are sent by hand. */
function beginUpload(to: ImportName, bytes: Buffer) {
  const boundary = "x-boundary";
  const body = Buffer.concat([
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="x.xlsx"\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const request = http.request(`${app.url}${importPaths[to]}`, {
    method: "POST",
    headers: {
      admin_token: token,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": body.length,
    },
  });
  request.on("error", () => undefined);
  return { request, body };
}

test("an import that its client leaves before the last byte ends with it", async () => {
  const file = `${app.dataDir}/left.xlsx`;
  await writeBook(file, [makeMonth({ month: "2026-06", people: 40, seed: 3, generation: 2026 }).originalSheet]);
  const arrivals = `${app.dataDir}/files/arriving`;
  const before = await countImports();
  const { request, body } = beginUpload("original", await readFile(file));
  request.write(body.subarray(0, body.length - 1));
  await waitUntil(async () => (await readdir(arrivals)).length > 0);
  const closed = new Promise((resolve) => request.once("close", resolve));
  request.destroy();
  await closed;
  await waitUntil(async () => (await readdir(arrivals)).length === 0);
  assert.equal(await countImports(), before);
  assert.equal(
    (await get("months")).json.data.some(({ month }: { month: string }) => month === "2026-06"),
    false,
  );
});

test("a dozen imports that cost much by their size on disk keep nobody from the service", async () => {
  const marks = "\u0315".repeat(16_000) + "\u0316".repeat(16_000);
  const cells = Array.from({ length: 120 }, (_, column) => `<c r="${columnLetters(column)}1" t="s"><v>0</v></c>`).join(
    "",
  );
  const hostile = buildArchive(
    buildWorkbook(wrapRows(`<row r="1">${cells}</row>`), {
      "xl/sharedStrings.xml": `<sst><si><t>${marks}</t></si></sst>`,
    }),
  );
  assert.ok(hostile.length < 3000);
  const sent = Array.from({ length: 12 }, () => sendBytes("month", "x.xlsx", hostile));
  const over = new AbortController();
  const answers = Promise.all(sent).finally(() => over.abort());
  while (!over.signal.aborted) assert.equal((await app.call("GET", "/readyz")).status, 200);
  assert.deepEqual(new Set((await answers).map(({ json }) => json.code)), new Set(["10030"]));
});
