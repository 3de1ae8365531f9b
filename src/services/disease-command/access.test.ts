import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { startTestApp } from "#test/app.ts";
import { endpoints } from "./contract.ts";

// The refusals that follow from the contract alone, of every operation.

const app = await startTestApp();
const open = await startTestApp({ settings: { UNDOCUMENTED_AUTH: "open:disease-command" }, beside: app });
const clerk = await app.signIn("disease-command");
const operator = await app.signIn("platform");
const strangers = [
  await app.signIn("reporting", { isSuper: true }),
  await app.signIn("platform", { services: ["reporting"] }),
];

const operations: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);
const guarded = operations.filter(([, { access }]) => access.who !== "anyone");

/** Asks with parameters that name nothing, so that whoever gets in changes nothing. */
const ask = (at: typeof app, { method, url }: Endpoint, token?: string, body?: unknown) =>
  at.call(method, url.replace(/:\w+/g, "987654321"), {
    token,
    ...(method === "GET" ? {} : { body: body ?? "nothing" }),
  });

test("the contract has the 55 documented operations, and what belongs to them", () => {
  const beside = operations.filter(([name, { own }]) => own || name === "updatePassword");
  assert.deepEqual([operations.length, operations.length - beside.length], [80, 55]);
  const byWho = Map.groupBy(operations, ([, { access }]) => access.who);
  assert.deepEqual([...byWho].map(([who, of]) => [who, of.length]).toSorted(), [
    ["administrator", 48],
    ["anyone", 29],
    ["super", 3],
  ]);
});

describe("without a right to", () => {
  for (const [name, endpoint] of guarded) {
    test(`${name} nobody gets in`, async () => {
      const codes = [
        await ask(app, endpoint),
        await ask(app, endpoint, ""),
        await ask(app, endpoint, "unknown"),
        await ask(app, endpoint, strangers[0]?.token),
        await ask(app, endpoint, strangers[1]?.token),
        ...(endpoint.access.who === "super" ? [await ask(app, endpoint, clerk.token)] : []),
      ].map(({ status, json }) => `${status} ${json.code}`);
      const lower = endpoint.access.who === "super" ? ["403 10008"] : [];
      assert.deepEqual(codes, ["401 10012", "401 10006", "401 10006", "403 10008", "403 10008", ...lower]);
    });
  }

  test("open operations ask for none, and an operator may all", async () => {
    for (const [name, endpoint] of operations) {
      if (name === "followChanges" || name === "logout") continue;
      const isOpen = endpoint.access.who === "anyone";
      const { json, status } = await ask(app, endpoint, isOpen ? undefined : operator.token);
      assert.ok(status !== 401 && json?.code !== "10008", name);
    }
  });
});

test("UNDOCUMENTED_AUTH opens what the document marks with no header, and nothing else", async () => {
  for (const [name, endpoint] of guarded) {
    const isOpen = endpoint.access.who === "administrator" && endpoint.access.headerUndocumented === true;
    const { json } = await ask(open, endpoint);
    assert.equal(json.code !== "10012", isOpen, name);
    if (isOpen) assert.equal((await ask(open, endpoint, "unknown")).json.code, "10006", name);
  }
});

describe("a body", () => {
  for (const [name, endpoint] of operations.filter(([, { body }]) => body)) {
    test(`of ${name} is needed, and is what the contract says`, async () => {
      const path = endpoint.url.replace(/:\w+/g, "1");
      const send = async (raw: string, type = "application/json") =>
        (await app.call(endpoint.method, path, { token: operator.token, raw, headers: { "content-type": type } })).json
          .code;
      assert.equal(await send(""), "10002");
      for (const raw of ["{", "nothing", "5", "null", '"text"', "true"]) assert.equal(await send(raw), "10001", raw);
      assert.equal(await send("<a/>", "application/xml"), "10001");
      const wrong =
        endpoint.method === "DELETE" ? ["{}", '{"ids":[1]}', '["1"]', "[0]", "[1.5]", "[null]"] : ["[]", "[1]"];
      for (const raw of wrong) assert.equal(await send(raw), "10001", raw);
      const most = endpoint.bodyLimitBytes ?? 1024 * 1024;
      assert.equal(await send(`"${"x".repeat(most)}"`), "10026");
    });
  }
});

test("an id in the path is one", async () => {
  for (const [name, endpoint] of operations.filter(([, { url }]) => /:(?:id|recordId)$/.test(url))) {
    for (const id of ["0", "-1", "1.5", "abc", "9007199254740993", "1e3", "%00", "%E4%B8%80"]) {
      const { json } = await app.call(endpoint.method, endpoint.url.replace(/:\w+$/, id), { token: operator.token });
      assert.equal(json.code, "10001", `${name} ${id}`);
    }
    const path = endpoint.url.replace(/:\w+$/, "987654321");
    assert.equal((await app.call(endpoint.method, path, { token: operator.token })).json.code, "10005", name);
  }
});
