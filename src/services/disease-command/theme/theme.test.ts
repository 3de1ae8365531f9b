import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { meetAtLock } from "#test/meeting.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown) =>
  (await app.call(method, `/disease-command/theme${path}`, { token, body })).json;
const current = async () => (await call("GET", "/currentItem")).data;
const save = async (themeName: string, enable: string) =>
  Number((await call("POST", "/save", { themeName, enable })).data);

test("none is enabled at first", async () => {
  assert.deepEqual(await call("GET", "/currentItem"), { success: true, message: "操作成功", code: "0", data: null });
  assert.deepEqual((await call("GET", "/list")).data, []);
});

test("enabling one disables the others", async () => {
  const first = await save("值守", "1");
  assert.deepEqual(await current(), { id: first, themeName: "值守", enable: "1" });
  const second = await save("演练", "2");
  assert.equal((await current()).id, first);
  assert.equal((await call("PUT", "/update", { id: second, enable: "1" })).data, "1");
  assert.deepEqual((await call("GET", "/list")).data, [
    { id: second, themeName: "演练", enable: "1" },
    { id: first, themeName: "值守", enable: "2" },
  ]);
  const third = await save("战时", "1");
  assert.equal((await current()).id, third);
  assert.equal((await call("PUT", "/update", { id: third, enable: "1", themeName: "平时" })).data, "1");
  assert.deepEqual(await current(), { id: third, themeName: "平时", enable: "1" });
  assert.equal((await call("PUT", "/update", { id: third, enable: "2" })).data, "1");
  assert.equal(await current(), null);
});

test("a switch that fails changes nothing", async () => {
  const on = await save("在用", "1");
  const off = await save("备用", "2");
  const refused: [string, string, unknown, string][] = [
    ["POST", "/save", { themeName: "备用", enable: "1" }, "10004"],
    ["PUT", "/update", { id: off, themeName: "在用", enable: "1" }, "10004"],
    ["PUT", "/update", { id: 987_654, enable: "1" }, "10005"],
    ["PUT", "/update", { enable: "1" }, "10023"],
    ["PUT", "/update", { id: off, enable: 1 }, "10001"],
    ["PUT", "/update", { id: off, enable: "0" }, "10001"],
    ["PUT", "/update", { id: off, themeName: "", enable: "1" }, "10001"],
    ["POST", "/save", { themeName: "新" }, "10001"],
    ["POST", "/save", { enable: "1" }, "10001"],
    ["POST", "/save", { themeName: "x".repeat(256), enable: "1" }, "10026"],
    ["DELETE", "/delete", [], "10023"],
    ["DELETE", "/delete", [987_654], "10005"],
  ];
  for (const [method, path, body, code] of refused) {
    assert.equal((await call(method, path, body)).code, code, JSON.stringify(body));
    assert.equal((await current()).id, on);
  }
  assert.equal((await call("DELETE", "/delete", [on, off])).data, "2");
  assert.equal(await current(), null);
});

test("of several switches at once one wins", async () => {
  const ids = [await save("甲", "2"), await save("乙", "2"), await save("丙", "2")];
  for (let round = 0; round < 3; round++) {
    const answers = await meetAtLock(
      app.pool,
      (tx) => tx`lock table disease_command.theme in access exclusive mode`,
      () => [
        ...ids.map((id) => call("PUT", "/update", { id, enable: "1" })),
        call("POST", "/save", { themeName: `丁${round}`, enable: "1" }),
      ],
    );
    assert.deepEqual(
      answers.map(({ code }) => code),
      ["0", "0", "0", "0"],
    );
    const { data } = await call("GET", "/list");
    assert.equal(data.filter(({ enable }: { enable: string }) => enable === "1").length, 1);
  }
});
