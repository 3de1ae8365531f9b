import assert from "node:assert/strict";
import { test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { plainPunches, plainSummary, someone } from "#test/attendance/plain-sheets.ts";
import { mapColumn, renameHeading, type Sheet } from "#test/attendance/workbooks.ts";

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, put, send, analyse } = await openAttendance(app, token);

const fill = (sheet: Sheet, texts: Readonly<Record<string, string>>): Sheet =>
  Object.entries(texts).reduce((filled, [heading, text]) => mapColumn(filled, heading, () => text), sheet);
const data = async (target: string, query = {}) => (await get(target, query)).json.data;

async function readSheet(target: string, query: Readonly<Record<string, string>>) {
  const address = `${app.url}/attendance/month/${target}?${new URLSearchParams({ ...query, format: "xlsx" })}`;
  const response = await fetch(address, { headers: { admin_token: token } });
  const [head, row] = await Array.fromAsync(streamXlsxRows(Buffer.from(await response.arrayBuffer())));
  return (head?.values ?? []).map((heading, column) => [heading, row?.values[column] ?? ""]);
}

test("they are kept, added up, explained, in the workbook behind the others, and not in the documented rows", async () => {
  const month = "2026-05";
  for (const [first, last, texts] of [
    [1, 15, { "年假(天)": "1", 加班总时长: "3小时30分钟" }],
    [16, 31, { "年假(天)": "0.5", 加班总时长: "45分钟", "调休(小时)": "0" }],
  ] as const)
    assert.doesNotMatch(
      (await send("month", [fill(plainSummary(month, first, last), texts)])).json.data.waring,
      /年假|加班|调休/,
    );
  await send("original", [plainPunches(month, 1, 31)]);
  await analyse(month);
  assert.equal((await data("downLoad", { month })).length, 1);
  const { extra } = await data("explain", { month, userId: someone.userId });
  const told = extra.map(({ field, value, unit, entries }: Record<string, unknown>) => [
    field,
    value,
    unit,
    (entries as { evidence: { text: string }[] }[]).flatMap(({ evidence }) => evidence.map(({ text }) => text)),
  ]);
  assert.deepEqual(told, [
    ["年假", "1.5", "天", ["1", "0.5"]],
    ["加班总时长", "4小时15分钟", "", ["3小时30分钟", "45分钟"]],
  ]);
  const expected = [
    ["31 日", "普通出勤:正常；(08:20,18:05)"],
    ["年假(天)", 1.5],
    ["加班总时长", "4小时15分钟"],
  ];
  assert.deepEqual((await readSheet("downLoad", { month })).slice(-3), expected);

  const { data: version } = (await put("lock", { month })).json;
  await put("unlock", { month, reason: "补录年假" });
  await send("month", [fill(plainSummary(month, 1, 31), { "年假(天)": "2", 加班总时长: "4小时15分钟" })]);
  await analyse(month);
  assert.deepEqual((await readSheet(`versions/${version}`, {})).slice(-3), expected);
  const [changed, ...others] = await data("compare", { month, version, changed: "true" });
  assert.deepEqual(
    [changed.month.extra, changed.with.extra, others],
    [{ 年假: "2", 加班总时长: "4小时15分钟" }, { 年假: "1.5", 加班总时长: "4小时15分钟" }, []],
  );
  const compared = (await readSheet("compare", { month, version })).slice(-6);
  assert.deepEqual(compared.slice(0, 3), [
    ["年假 2026-05", 2],
    ["年假 第1版", 1.5],
    ["年假 差", 0.5],
  ]);
  assert.deepEqual(compared.at(-1), ["加班总时长 差", ""]);
});

test("one that is no number has no difference, and one that is written in two ways is the newest, which is told", async () => {
  const [month, other] = ["2026-07", "2026-08"];
  await send("month", [fill(plainSummary(month, 1, 15), { "年假(天)": "1" })]);
  const { waring } = (await send("month", [fill(plainSummary(month, 16, 31), { "年假(天)": "半天" })])).json.data;
  assert.match(waring, /年假的单位或写法不一（天）|年假的单位或写法不一（天、文字）/);
  await send("month", [plainSummary(other, 1, 31)]);
  for (const each of [month, other]) await analyse(each);
  const compared = (await readSheet("compare", { month, with: other })).slice(-3);
  assert.deepEqual(compared, [
    ["年假 2026-07", "半天"],
    ["年假 2026-08", ""],
    ["年假 差", ""],
  ]);
});

test("days and these columns keep their headings in the workbook, whatever the buckets are", async () => {
  const month = "2026-03";
  await put("settings", { bucketEdges: [10, 40] });
  const named = renameHeading(plainSummary(month, 1, 31), "年假(天)", "2020年年假(天)");
  await send("month", [fill(named, { "2020年年假(天)": "1" })]);
  await analyse(month);
  const cells = await readSheet("downLoad", { month });
  const headings = cells.map(([heading]) => heading);
  assert.ok(headings.includes("迟到10-40分钟次数"));
  assert.deepEqual(
    ["20 五", "30 一"].map((day) => headings.indexOf(day) - headings.indexOf("1 日")),
    [19, 29],
  );
  assert.deepEqual(cells.at(-1), ["2020年年假(天)", 1]);
});
