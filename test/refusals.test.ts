import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as z from "zod";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { ProblemName, ProblemTable } from "#platform/contract/problem.ts";
import { contracts, serviceNames } from "#quintet/app.ts";
import { type Answer, type CallOptions, startTestApp } from "#test/app.ts";

const app = await startTestApp();
const open = await startTestApp({ settings: { UNDOCUMENTED_AUTH: `open:${serviceNames.join(",")}` }, beside: app });
const operator = await app.signIn("platform");
const administrator = await app.signIn("reporting", { isSuper: true });
const elsewhere = await app.signIn("tuition-payment", { isSuper: true });

// These two operations have tests of their own.
const skipped = new Set(["logout", "followChanges"]);
const isRecord = (url: string) => /:(?:id|recordId|itemId)$/.test(url);

const expecting = (problems: ProblemTable) => (answer: Answer, problem: ProblemName, what: string) => {
  const { code, status } = problems[problem];
  assert.deepEqual([answer.status, String(answer.json?.code)], [status, code], `${what}: ${answer.text}`);
};
/** The ids do not exist and the default body is invalid, so that an authorized call changes nothing. */
const ask = (at: typeof app, { method, url }: Endpoint, options: CallOptions = {}) =>
  at.call(method, url.replace(/:\w+/g, "987654321"), {
    ...(method === "GET" ? {} : { body: "nothing" }),
    ...options,
  });
const listOperations = (endpoints: Record<string, Endpoint>) =>
  Object.entries(endpoints).filter(([, { access }]) => access.who !== "guest");

for (const { name, problems, endpoints } of contracts.filter((one) => serviceNames.includes(one.name))) {
  const stranger = await app.signIn("platform", { services: serviceNames.filter((one) => one !== name) });
  const clerk = name === "reporting" || name === "tuition-payment" || name === "disease-command" ? name : undefined;
  const lower = clerk === undefined ? undefined : await app.signIn(clerk);
  const operations = listOperations(endpoints);
  const guarded = operations.filter(
    ([operation, { access }]) => !skipped.has(operation) && access.who !== "anyone" && !("orGuests" in access),
  );
  const expect = expecting(problems);

  describe(name, () => {
    for (const [operation, endpoint] of guarded)
      test(`${operation} lets nobody in without a right to it`, async () => {
        expect(await ask(app, endpoint, { headers: { card_number: "1" } }), "headerMissing", "no token, though a card");
        expect(await ask(app, endpoint, { token: "" }), "tokenEmpty", "an empty one");
        expect(await ask(app, endpoint, { token: "x".repeat(43) }), "tokenInvalid", "an unknown one");
        const others = [stranger, name === "reporting" ? elsewhere : administrator];
        if (lower && endpoint.access.who === "super") others.push(lower);
        for (const { token, userName } of others) {
          expect(await ask(app, endpoint, { token }), "forbidden", userName);
          const lines = await app.pool`
            select 1 from platform.audit where action = ${operation} and user_name = ${userName} and outcome = 'refused'`;
          assert.ok(lines.length > 0, "the audit log has it");
        }
      });

    test("UNDOCUMENTED_AUTH opens what the documents mark with no header, and nothing else", async () => {
      for (const [operation, endpoint] of guarded) {
        const { access } = endpoint;
        const isOpen = access.who === "administrator" && access.headerUndocumented === true;
        const { json } = await ask(open, endpoint);
        assert.equal(String(json?.code) !== problems.headerMissing.code, isOpen, operation);
        if (isOpen) expect(await ask(open, endpoint, { token: "unknown" }), "tokenInvalid", operation);
      }
    });

    const usual = guarded.find(([, { body, bodyLimitBytes }]) => body && bodyLimitBytes === undefined)?.[0];
    for (const [operation, endpoint] of guarded.filter(([, { body }]) => body))
      test(`${operation} needs a body, and one that the contract has`, async () => {
        const headers = { "content-type": "application/json" };
        const send = (raw: string) => ask(app, endpoint, { token: operator.token, raw, headers, body: undefined });
        if (!endpoint.body?.safeParse(undefined).success) expect(await send(""), "bodyEmpty", "nothing");
        for (const raw of ["{", "null", '"text"', ...(operation.startsWith("delete") ? ['["1"]', "[0]"] : ["[]"])])
          expect(await send(raw), "badFormat", raw);
        const xml = { "content-type": "application/xml" };
        expect(await ask(app, endpoint, { token: operator.token, raw: "<a/>", headers: xml }), "badFormat", "XML");
        // Operations share the code of the body limit, so only those with a limit of their own, and one other for each
        // service, are tested.
        const { bodyLimitBytes: most = operation === usual ? 1024 * 1024 : undefined } = endpoint;
        if (most !== undefined) expect(await send(`"${"x".repeat(most)}"`), "bodyTooLarge", "too much");
      });

    const wrongIds = ["0", "-1", "1.5", "abc", "9007199254740993"];
    test("an id is one, and of something that is there", async () => {
      for (const [operation, endpoint] of guarded.filter(([, { url }]) => isRecord(url))) {
        const send = (id: string) =>
          app.call(endpoint.method, endpoint.url.replace(/:\w+$/, id), { token: operator.token });
        for (const id of [...wrongIds, "1e3", "%00", "%E4%B8%80"])
          expect(await send(id), "badFormat", `${operation} ${id}`);
        if (!endpoint.body) expect(await send("987654321"), "notFound", operation);
      }
      for (const [operation, endpoint] of guarded.filter(([, { query }]) => query && "id" in query.shape)) {
        for (const id of [undefined, "", ...wrongIds])
          expect(
            await ask(app, endpoint, { token: operator.token, query: { id }, body: undefined }),
            "badFormat",
            `${operation} ${id}`,
          );
        const unknown = { token: operator.token, query: { id: 987_654_321 }, body: undefined };
        expect(await ask(app, endpoint, unknown), "notFound", operation);
      }
    });
  });
}

for (const { name, problems, endpoints } of contracts)
  describe(name, () => {
    const expect = expecting(problems);
    const send = ({ token }: typeof operator, endpoint: Endpoint, given: CallOptions) =>
      ask(app, endpoint, { token, body: undefined, ...given });

    test("a list has pages of 1 to 1000, and an order by fields of its own", async () => {
      for (const [operation, endpoint] of listOperations(endpoints)) {
        const fields = endpoint.query?.shape ?? {};
        const page = "currPage" in fields ? "currPage" : "curPage";
        for (const [field, value] of [
          [page, 0],
          [page, "x"],
          ["pageSize", 0],
          ["pageSize", 1001],
          ["order", "up"],
        ] as const)
          if (field in fields)
            expect(
              await send(operator, endpoint, { query: { [field]: value } }),
              "badFormat",
              `${operation} ${field} ${value}`,
            );
        for (const orderField of "orderField" in fields ? ["password", "constructor", "id desc"] : [])
          expect(
            await send(operator, endpoint, { query: { orderField } }),
            "notAllowedNow",
            `${operation} ${orderField}`,
          );
      }
    });

    test("an id of a body is one, and of something that is there", async () => {
      for (const [operation, endpoint] of listOperations(endpoints)) {
        const { body = z.null(), problems: own } = endpoint;
        const schema = z.toJSONSchema(body, { io: "input", unrepresentable: "any" });
        const field = ["ids", "itemId", "id"].find((one) => one in (schema.properties ?? {}));
        const needsMore = schema.required?.some((one) => one !== field) ?? false;
        if (!own?.includes("idMissing") || needsMore || (field === undefined && schema.type !== "array")) continue;
        const isMany = field === undefined || field === "ids";
        const give = (id: unknown) => send(operator, endpoint, { body: field === undefined ? id : { [field]: id } });
        const none = [...(isMany ? [[]] : [null, ""]), ...(field === undefined ? [] : [undefined])];
        for (const id of none) expect(await give(id), "idMissing", operation);
        expect(await give(isMany ? [987_654_321] : 987_654_321), "notFound", operation);
        for (const id of [0, -1, 1.5, "1", true, 2 ** 53, [1]])
          expect(await give(isMany ? [id] : id), "badFormat", `${operation} ${String(id)}`);
        for (const ids of isMany ? [[null], 5, "x"] : []) expect(await give(ids), "badFormat", `${operation} ${ids}`);
      }
    });
  });
