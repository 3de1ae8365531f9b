import assert from "node:assert/strict";
import { test } from "node:test";
import { readSheet } from "#test/audit/read-sheet.ts";
import { nameField, nameKind } from "#console/pages/platform/field-names.ts";
import { getData, startTestApp } from "#test/app.ts";
import { sampleReport } from "#test/sample-report.ts";
import { samplePayable } from "#test/tuition-payment.ts";

const app = await startTestApp({ services: ["reporting", "push-relay", "tuition-payment", "attendance"] });
const operator = await app.signIn("platform");
const clerk = await app.signIn("tuition-payment");
const { token } = operator;

const list = async (query: Record<string, string | number>) =>
  (await app.call("GET", "/platform/audit", { token, query })).json.data;
const lastOf = async (action: string) => (await list({ action })).list[0];
const payable = async (method: string, path: string, body?: unknown) =>
  getData(await app.call(method, `/tuitionpayment/payableinfo/${path}`, { token: clerk.token, body }));
const asPairs = (fields: { field: string; before: unknown; after: unknown }[]) =>
  Object.fromEntries(fields.map(({ field, before, after }) => [field, [before, after]]));

test("a change is told before and after, by the fields that changed, and nobody's card or name with it", async () => {
  const idCard = "990000200801010011";
  const id = await payable("POST", "save", samplePayable({ studentName: "测试生", idCard }));
  const created = await lastOf("savePayable");
  assert.deepEqual(
    [created.changedRecords, created.changes.map(({ what }: { what: string }) => what)],
    [2, ["payable", "payLimit"]],
  );
  assert.equal(created.changes[0].record, id);
  const { years, studentName, idCard: card, itemNames, paidAt } = asPairs(created.changes[0].fields);
  assert.deepEqual(
    [years, studentName, card, itemNames, paidAt],
    [[null, "2026"], [null, "测**"], [null, "***0011"], [null, '["学费","住宿费"]'], undefined],
  );

  await payable("PUT", "update", { id: Number(id), className: "示例2202班", idCard: "99000020080101002X" });
  const { changes } = await lastOf("updatePayable");
  assert.deepEqual(changes[0].fields, [
    { field: "idCard", before: "***0011", after: "***002X" },
    { field: "className", before: "示例2201班", after: "示例2202班" },
  ]);

  await payable("PUT", `pay/${id}/true`);
  const recorded = (await lastOf("recordPayment")).changes;
  assert.deepEqual(
    recorded.map(({ what }: { what: string }) => what),
    ["adjustment", "payable"],
  );
  const paid = asPairs(recorded[1].fields);
  assert.deepEqual(paid["paidBy"], [null, "decision"]);
  assert.match(String(paid["paidAt"]?.[1]), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  await payable("PUT", `pay/${id}/false`);
  await payable("DELETE", `delete/${id}`);
  const gone = asPairs((await lastOf("deletePayable")).changes[0].fields);
  assert.deepEqual(
    [gone["className"], gone["studentName"]],
    [
      ["示例2202班", null],
      ["测**", null],
    ],
  );
  const [{ found }] = (await app.pool`
    select count(*) as found from platform.audit where audit::text ~ '(99000020080101|测试生)'`) as [{ found: number }];
  assert.equal(found, 0);
});

test("of a password and of a secret it is told that they are others, and no more", async () => {
  const { id, userName } = await app.signIn("reporting");
  const body = { id, name: "新名", password: "another-horse-7" };
  assert.equal((await app.call("PUT", "/reporting/user/update", { token, body })).json.code, "0");
  assert.deepEqual(asPairs((await lastOf("updateAdministrator")).changes[0].fields), {
    name: [userName, "新名"],
    passwordHash: ["***", "***"],
  });
  const add = { url: "http://receiver.invalid/hook", project: "审计" };
  const project = (await app.call("POST", "/wx/push/addPushProject", { token, body: add })).json.data;
  await app.call("PUT", "/wx/push/project/rotateSecret", { token, query: { id: project } });
  const secrets = asPairs((await lastOf("rotateSecret")).changes[0].fields);
  assert.deepEqual(
    [secrets["secret"], secrets["oldSecret"]],
    [
      ["***", "***"],
      [null, "***"],
    ],
  );
  const [{ found }] = (await app.pool`
    select count(*) as found from platform.audit where audit::text ~ '(argon2|whsec_)'`) as [{ found: number }];
  assert.equal(found, 0);
});

test("a phone number keeps its first three and last four; of many records the first twenty are told, and all counted", async () => {
  const submit = async (n: number) =>
    (
      await app.call("POST", "/reporting/informationReporting/add", {
        body: sampleReport({ phone: `1390000${1000 + n}` }),
      })
    ).json.data;
  const ids = [];
  for (let n = 0; n < 25; n++) ids.push(await submit(n));
  const body = { ids: ids.map(Number) };
  assert.equal(
    (await app.call("DELETE", "/reporting/informationReporting/delete", { token, body })).json.data,
    String(ids.length),
  );
  const line = await lastOf("deleteReports");
  assert.deepEqual([line.changedRecords, line.changes.length, line.records.length], [25, 20, 25]);
  assert.deepEqual(line.changes[0].fields, [{ field: "deleted", before: false, after: true }]);
  const [noted] = await app.pool<{ value: string; short: string }[]>`
    select platform.to_noted('phone', '"13900001000"', '{}', '{}') #>> '{}' as value,
      platform.to_noted('leader_phone', '"110"', '{}', '{}') #>> '{}' as short`;
  assert.deepEqual(noted, { value: "139****1000", short: "***" });
});

test("what is undone, and what nobody signed in does, leaves nothing behind on its connection", async () => {
  const body = { ids: [999_999] };
  await app.call("DELETE", "/reporting/informationReporting/delete", { token, body });
  await Promise.all(
    Array.from({ length: 20 }, () => app.call("POST", "/reporting/informationReporting/add", { body: sampleReport() })),
  );
  const noted = await Promise.all(
    Array.from({ length: 16 }, () => app.pool`select current_setting('quintet.changes', true) as noted`),
  );
  assert.deepEqual(
    noted.flat().filter(({ noted: text }) => text !== null && text !== ""),
    [],
  );
});

test("the log is searched by outcome and by record, with exact totals", async () => {
  await app.call("GET", "/platform/audit", { token: clerk.token });
  const all = await list({});
  const refused = await list({ outcome: "refused" });
  const done = await list({ outcome: "done", pageSize: 1 });
  assert.ok(refused.totalCount > 0 && refused.list.every(({ outcome }: { outcome: string }) => outcome === "refused"));
  const failed = await list({ outcome: "failed" });
  assert.equal(done.totalCount, all.totalCount - refused.totalCount - failed.totalCount);
  const { records } = await lastOf("recordPayment");
  const history = await list({ record: records[0], service: "tuition-payment" });
  assert.deepEqual(
    history.list.map(({ action }: { action: string }) => action),
    ["deletePayable", "recordPayment", "recordPayment", "updatePayable", "savePayable"],
  );
  assert.equal(history.totalCount, 5);
  const second = await list({ record: records[0], service: "tuition-payment", pageSize: 2, curPage: 2 });
  assert.equal(second.list[0].action, "recordPayment");
  for (const query of [{ outcome: "perhaps" }, { record: "x".repeat(300) }])
    assert.match((await app.call("GET", "/platform/audit", { token, query })).json.code, /^100(01|26)$/);
});

test("the log is exported by the same filters, as a workbook and as lines of JSON, and the export is in it", async () => {
  const exporting = (query: Record<string, string>, by = token) =>
    app.call("GET", "/platform/audit/export", { token: by, query });
  assert.equal((await exporting({}, clerk.token)).json.code, "10008");
  assert.equal((await app.call("GET", "/platform/audit/export")).json.code, "10012");
  assert.equal((await exporting({ format: "pdf" })).json.code, "10001");

  const address = `${app.url}/platform/audit/export?service=tuition-payment&outcome=done`;
  const asked = { headers: { admin_token: token, "accept-language": "en" } };
  const answer = await fetch(`${address}&format=jsonl`, asked);
  assert.match(answer.headers.get("content-disposition") ?? "", /audit-[\d-]+\.jsonl/);
  const lines = (await answer.text()).trimEnd().split("\n");
  const listed = await list({ service: "tuition-payment", outcome: "done", pageSize: 100 });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    listed.list,
  );
  const { action, detail } = await lastOf("exportAudit");
  assert.deepEqual([action, detail], ["exportAudit", { format: "jsonl", service: "tuition-payment", outcome: "done" }]);

  const book = await fetch(address, asked);
  const [heading, ...rows] = await readSheet(Buffer.from(await book.arrayBuffer()));
  assert.equal(rows.length, listed.totalCount);
  assert.deepEqual(heading?.slice(0, 3), ["Id", "Time", "Service"]);
  assert.match(String(rows.find((row) => row[5] === "updatePayable")?.[8]), /className 示例2201班 → 示例2202班/);
});

test("the console has words for every record and field that a line can tell of", async () => {
  const columns = await app.pool<{ kind: string; field: string }[]>`
    select initcap(relname) as kind, initcap(attname) as field
    from pg_trigger join pg_class as kept on kept.oid = tgrelid
    join pg_attribute as one on attrelid = kept.oid and attnum > 0 and not attisdropped
    where tgname = 'note_change' and attname <> all((split_part(encode(tgargs, 'escape'), '\\000', 2))::text[])`;
  assert.ok(columns.length > 100);
  const toName = (text: string) => text.replaceAll("_", "").replace(/^./, (letter) => letter.toLowerCase());
  const wordless = columns.flatMap(({ kind, field }) => [nameKind(toName(kind), "zh"), nameField(toName(field), "zh")]);
  assert.deepEqual(
    [...new Set(wordless)].filter((word) => !/\p{Script=Han}/u.test(word)),
    [],
    "words for the console",
  );
});
