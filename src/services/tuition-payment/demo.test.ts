import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { importFile } from "#test/tuition-payment.ts";
import { writeDemoWorkbook } from "./demo.ts";
import { makeStudents } from "./demo-students.ts";

const app = await startTestApp({ services: ["tuition-payment"] });
const { token } = await app.signIn("tuition-payment");

test("a workbook comes in, a student looks up what is due, a grade is switched off, and the list shows it all", async () => {
  const demo = makeStudents(2000);
  const workbook = await writeDemoWorkbook(demo);
  const preview = await importFile(app, token, workbook, { dryRun: "true" });
  assert.deepEqual([preview.status, preview.json.data], [200, "2000"]);
  const imported = await importFile(app, token, workbook);
  assert.deepEqual([imported.status, imported.json.data], [200, "2000"]);

  const [first, newest] = [demo[0], demo.find(({ idCard }) => idCard !== null)];
  const prefix = "/tuitionpayment/payableinfo";
  const due = await app.call("GET", `${prefix}/payableInfo`, { headers: { card_number: first?.studentNo ?? "" } });
  const { data } = due.json;
  assert.deepEqual(
    [data.studentName, data.realPayAmount, data.payItemDetail, data.pay],
    [first?.studentName, 5950.5, "学费:4800\\住宿费:800\\教材费:350.50", false],
  );
  const headers = { card_number: "a-parent" };
  const path = `${prefix}/payableInfo/${newest?.idCard}/${encodeURIComponent(newest?.studentName ?? "")}`;
  assert.equal((await app.call("GET", path, { headers })).json.data.studentNo, newest?.studentNo);

  const limits = (await app.call("GET", "/enablePayLimit/list", { token })).json.data;
  assert.deepEqual(
    limits.map(({ gradeName, enablePay }: Record<string, string>) => `${gradeName} ${enablePay}`),
    ["2023级 1", "2024级 1", "2025级 1", "2026级 1"],
  );
  const { id } = limits.find(({ grade }: Record<string, string>) => grade === "2026");
  assert.equal((await app.call("PUT", `/enablePayLimit/setting/${id}/2`, { token })).json.data, "1");
  const switched = (await app.call("GET", "/enablePayLimit/list", { token })).json.data;
  assert.deepEqual(
    switched.map(({ enablePay }: Record<string, string>) => enablePay),
    ["1", "1", "1", "2"],
  );

  const list = await app.call("GET", `${prefix}/list`, { token, query: { keyword: "2026000001", pageSize: 5 } });
  assert.deepEqual([list.json.data.totalCount, list.json.data.list[0].grade], [1, "2026"]);
  const all = await app.call("GET", `${prefix}/list`, { token });
  assert.deepEqual([all.json.data.totalCount, all.json.data.totalPage], [2000, 200]);
});
