import assert from "node:assert/strict";
import { test } from "node:test";
import type { DemoTools } from "#platform/process/service.ts";
import { startTestApp } from "#test/app.ts";
import { openAttendance, waitForAnalysis } from "#test/attendance/calls.ts";
import { loadDemo } from "./demo.ts";

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get } = await openAttendance(app, token);

const tools: DemoTools = {
  db: app.pool,
  say: () => undefined,
  call: async (method, path, body) => (await app.call(method, path, { token, body })).json.data,
  upload: async (path, fileName, bytes, fields = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("file", new Blob([new Uint8Array(bytes)]), fileName);
    const { json } = await app.call("POST", path, { token, raw: form });
    assert.equal(json.code, "0", json.message);
    return json.data;
  },
};

interface Figure {
  readonly field: string;
  readonly kind: "number" | "record" | "copy";
  readonly entries: readonly {
    readonly counts: number;
    readonly text: string;
    readonly evidence: readonly unknown[];
  }[];
}

const addUp = ({ kind, entries }: Figure): string =>
  kind === "number"
    ? String(entries.reduce((sum, { counts }) => sum + counts, 0))
    : entries.map(({ text }) => text).join("；");

test("the demo's months are explained to the last figure, in both forms of the export", async () => {
  await loadDemo(tools);
  const months = (await get("months")).json.data as {
    month: string;
    employees: number;
    identities: number;
    punches: number;
  }[];
  assert.deepEqual(
    months.map(({ month }) => month),
    ["2026-10", "2026-09", "2021-03"],
  );
  for (const { employees, identities, punches } of months)
    assert.ok(employees === 300 && identities === 300 && punches > 10_000);
  for (const { month } of months) {
    const { statu, waring } = await waitForAnalysis(get, month);
    assert.equal(statu, 2);
    // Its leave is in hours, as in many exports; nothing else is odd.
    const [address, ...others] = waring.split("\n").toReversed();
    assert.match(String(address), /^1 个打卡地址不属于任何校区，共 \d+ 次打卡：示例路1号会展中心/);
    assert.match(others.join("\n"), /^(?:月度汇总中有些列的单位与字段的不同，[^\n]*)?$/);
    const rows = (await get("downLoad", { month })).json.data as Record<string, string | number>[];
    assert.equal(rows.length, 300);
    for (const field of [
      "leTwentyLateNumber",
      "lequalThirtyLateNumber",
      "geThirtyLateNumber",
      "leTwentyLeaveNumber",
      "abnormalClockNumber",
      "sumAttendanceInHuangjiahu",
      "sumAttendanceInMoxuanhu",
    ]) {
      assert.ok(
        rows.some((row) => Number(row[field]) > 0),
        `${month} shows ${field}`,
      );
    }
    for (const row of rows) {
      assert.notEqual(row["idCard"], "");
      const { data } = (await get("explain", { month, userId: row["userId"] })).json;
      assert.deepEqual(data.row, row);
      assert.ok(data.figures.length >= 20);
      for (const figure of data.figures as Figure[]) {
        assert.equal(addUp(figure), String(row[figure.field]), `${month} ${figure.field}`);
        for (const entry of figure.entries)
          assert.ok(entry.evidence.length > 0, `${figure.field} has something behind it`);
      }
    }
  }
});
