import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toProblem } from "./failure.ts";
import { type CallOptions, startTestApp, testPassword } from "#test/app.ts";
import { headOf, openSocket } from "#test/attack/slow.ts";
import { sampleReport } from "#test/sample-report.ts";

const app = await startTestApp();
const boss = await app.signIn("reporting", { isSuper: true });
const { token } = boss;
const { pool } = app;
const prefix = "/reporting/informationReporting";
const add = (options: CallOptions) => app.call("POST", `${prefix}/add`, options);
const list = (options: CallOptions = {}) => app.call("GET", `${prefix}/list`, { token, ...options });
const json = (raw: string, type = "application/json"): CallOptions => ({ raw, headers: { "content-type": type } });

describe("answers", () => {
  const languages: [string, "zh" | "en"][] = [
    ["en", "en"],
    ["en-GB,en;q=0.9,zh;q=0.8", "en"],
    ["zh-CN,zh;q=0.9,en;q=0.8", "zh"],
    ["fr,en;q=0.1", "en"],
    ["fr", "zh"],
    ["*", "zh"],
    ["en;q=0", "zh"],
    ["en;q=0.5,zh-TW;q=0.5", "zh"],
    ["EN", "en"],
    ["english", "zh"],
    [";;q=,", "zh"],
  ];
  test("come in the language that is asked for", async () => {
    for (const [header, language] of languages) {
      const headers = { "accept-language": header };
      const failure = await add({ body: sampleReport({ name: "x".repeat(33) }), headers });
      assert.match(
        failure.json.message,
        language === "zh" ? /^内容过长：name: 最多32个字符$/ : /^The content is too long: name: at most 32 characters$/,
        header,
      );
    }
  });

  test("of our own faults tell nothing, and the log repeats no value", async () => {
    await pool.script(`
      create function reporting.complain() returns trigger language plpgsql as $$
      begin raise exception 'no %', new.licensing using errcode = '22P02', detail = new.name; end $$;
      create trigger complain before insert on reporting.report for each row execute function reporting.complain()`);
    const { status, json, text } = await add({ body: sampleReport({ licensing: "secret-word" }) });
    await pool`drop function reporting.complain cascade`;
    assert.deepEqual([status, json], [500, { success: false, message: "系统未知异常", code: "10000", data: null }]);
    assert.doesNotMatch(text, /secret|licensing|\.ts/i);
    const line = app.logged.find(({ msg }) => msg === "a request failed");
    assert.deepEqual([line?.["code"], line?.["route"]], ["22P02", `${prefix}/add`]);
    assert.doesNotMatch(JSON.stringify(app.logged), /secret-word/);
  });
});

describe("the token", () => {
  test("may come under each of its names", async () => {
    for (const name of ["admin_token", "admin-token", "Admin-Token", "ADMIN_TOKEN"]) {
      const ask = (value: string) => app.call("GET", `${prefix}/list`, { headers: { [name]: value } });
      assert.equal((await ask(token)).json.code, "0");
      for (const wrong of [`${token}x`, token.toLowerCase(), "Bearer x"])
        assert.equal((await ask(wrong)).json.code, "10006", wrong);
    }
  });

  test("missing is 10012, and a cookie or a query is none", async () => {
    for (const options of [
      {},
      { query: { admin_token: token, token } },
      { headers: { cookie: `admin_token=${token}`, authorization: `Bearer ${token}` } },
    ] as CallOptions[]) {
      const answer = await app.call("GET", `${prefix}/list`, options);
      assert.deepEqual([answer.status, answer.json.code], [401, "10012"]);
    }
  });

  test("is asked for before the request is looked at", async () => {
    for (const options of [json("{"), json("x".repeat(2 * 1024 * 1024)), {}])
      assert.equal((await app.call("DELETE", `${prefix}/close`, options)).json.code, "10012");
  });
});

describe("bodies", () => {
  const good = JSON.stringify(sampleReport());
  const gbk = Buffer.concat([
    Buffer.from(`{"content":"`),
    Buffer.from([0xd5, 0xc5]),
    Buffer.from(`",${good.slice(1)}`),
  ]);
  const urlencoded = "application/x-www-form-urlencoded";
  const multipart = new FormData();
  for (const [key, value] of Object.entries(sampleReport())) multipart.append(key, String(value));
  const cases: [string, CallOptions, number, string][] = [
    ["as JSON", json(good), 200, "0"],
    ["with a charset", json(good, "Application/JSON; charset=utf-8"), 200, "0"],
    ["with a byte order mark", json(`\uFEFF${good}`), 200, "0"],
    ["in another encoding", { ...json(""), raw: gbk }, 400, "10001"],
    ["with __proto__", json(`{"__proto__":{"name":"x"},"constructor":{"prototype":{}},${good.slice(1)}`), 200, "0"],
    ["with a key twice, of which the last counts", json(`{"name":5,${good.slice(1)}`), 200, "0"],
    ["none", {}, 400, "10002"],
    ["of another type", json(good, "text/plain"), 400, "10001"],
    ["of a type that is none", json(good, "json"), 400, "10001"],
    ["as form fields", json(new URLSearchParams(sampleReport() as never).toString(), urlencoded), 400, "10001"],
    ["as multipart", { raw: multipart }, 400, "10001"],
    ["of a mebibyte and a bit", json(" ".repeat(1024 * 1024) + good), 413, "10026"],
    ["of less", json(" ".repeat(1024 * 1024 - Buffer.byteLength(good)) + good), 200, "0"],
    ["nested deep", json(`{"content":${"[".repeat(5000)}${"]".repeat(5000)},${good.slice(1)}`), 400, "10001"],
  ];
  test("are read by what they say that they are", async () => {
    for (const [what, options, status, code] of cases) {
      const answer = await add(options);
      assert.deepEqual([answer.status, answer.json.code], [status, code], `${what}: ${answer.text}`);
      assert.equal(({} as { name?: unknown }).name, undefined);
    }
  });

  test("of a login may be form fields", async () => {
    const login = (raw: string, type: string) => app.call("POST", "/reporting/user/login", json(raw, type));
    const form = new URLSearchParams({ userName: boss.userName, password: testPassword, extra: "x" }).toString();
    const { headers, json: answer } = await login(form, `${urlencoded}; charset=UTF-8`);
    assert.deepEqual([answer.code, headers.get("admin_token")], ["0", answer.data.token]);
    assert.equal((await login("", urlencoded)).json.code, "10002");
    const twice = `userName=a&userName=b&password=${testPassword}`;
    assert.equal((await login(twice, urlencoded)).json.code, "10001");
    const number = JSON.stringify({ userName: 5, password: testPassword });
    assert.equal((await login(number, "application/json")).json.code, "10001");
  });

  test("of a login may be multipart fields", async () => {
    const login = (fields: Record<string, string | Blob | readonly string[]>) => {
      const raw = new FormData();
      for (const [name, value] of Object.entries(fields))
        for (const one of Array.isArray(value) ? (value as string[]) : [value as string]) raw.append(name, one);
      return app.call("POST", "/reporting/user/login", { raw });
    };
    const good = { userName: boss.userName, password: testPassword };
    const { headers, json: answer } = await login({ ...good, extra: "x" });
    assert.deepEqual([answer.code, headers.get("admin_token")], ["0", answer.data?.token]);
    assert.equal((await login({ ...good, password: "wrong-horse" })).json.code, "10009");
    assert.equal((await login({})).json.code, "10002");
    assert.equal((await login({ ...good, password: [testPassword, testPassword] })).json.code, "10001");
    assert.equal((await login({ ...good, password: new Blob([testPassword]) })).json.code, "10001");
    const large = await login({ ...good, extra: "x".repeat(65 * 1024) });
    assert.deepEqual([large.status, large.json.code], [413, "10026"]);
    for (const [type, raw] of [
      ["multipart/form-data", "x"],
      ["multipart/form-data; boundary=b", "--b\r\ncontent-disposition: form-data; name=userName\r\n\r\na"],
      ["multipart/form-data; boundary=b", '{"userName":"a"}'],
    ] as const)
      assert.equal((await app.call("POST", "/reporting/user/login", json(raw, type))).json.code, "10001", raw);
    assert.equal((await app.call("POST", "/reporting/user/login", json("", "multipart/form-data"))).json.code, "10002");
  });

  test("cut off by the client change nothing", async () => {
    const before = (await list()).json.data.totalCount;
    for (const head of [{ "content-length": "5000" }, { "transfer-encoding": "chunked" }]) {
      const begun = headOf("POST", `${prefix}/add`, { "content-type": "application/json", ...head });
      const { socket, ended } = await openSocket(app.url, `${begun}{"name":`);
      socket.end();
      await ended;
    }
    assert.equal((await list()).json.data.totalCount, before);
  });
});

describe("paths and methods", () => {
  test("what is not there is 20003, whatever comes with it", async () => {
    const below = ["/list/x/", "/%2e%2e/list", "%2flist"].map((place) => prefix + place);
    for (const place of ["/nope", "/nope//", "/reporting", "/Reporting/user/login", ...below])
      for (const options of [{}, json("{"), json("x".repeat(2 * 1024 * 1024)), json("x", "text/plain")]) {
        const answer = await app.call("POST", place, options);
        assert.deepEqual([answer.status, answer.json.code], [404, "20003"], place);
      }
  });

  test("what is not there is a page for who prefers pages", async () => {
    const ask = async (accept: string) => {
      const { status, headers } = await app.call("GET", `${prefix}/nope`, { headers: { accept } });
      return `${status} ${headers.get("content-type")?.split(";")[0]}`;
    };
    for (const accept of ["text/html", "text/html,application/json;q=0.9,*/*", "*/*, TEXT/HTML"])
      assert.equal(await ask(accept), "404 text/html", accept);
    for (const accept of ["*/*", "application/json, text/plain", "application/json, text/html;q=0.5"])
      assert.equal(await ask(accept), "404 application/json", accept);
  });

  test("a slash too many makes no difference", async () => {
    for (const place of [`${prefix}/list/`, `/${prefix}/list`, `/reporting//informationReporting///list//`]) {
      const { status, json } = await app.call("GET", place, { token, query: { name: "http://x//y/" } });
      assert.deepEqual([status, json.code, json.data.totalCount], [200, "0", 0], place);
      const post = await app.call("POST", place, { raw: "{" });
      assert.deepEqual([post.status, post.json.code, post.headers.get("allow")], [405, "10003", "GET"], place);
      assert.equal((await app.call("GET", place)).json.code, "10012", place);
    }
    const body = { userName: boss.userName, password: testPassword };
    assert.equal((await app.call("POST", "/reporting/user//login/", { body })).json.code, "0");
    for (const place of ["/livez/", "/readyz/", "//readyz", "/docs/", "/developers/", "/openapi.json/"])
      assert.equal((await app.call("GET", place)).status, 200, place);
    assert.equal((await app.call("GET", "/metrics/")).json.code, "10012");
  });

  test("another method is 10003, with those that are", async () => {
    const cases = [
      ["GET", `${prefix}/add`, "POST"],
      ["POST", `${prefix}/list`, "GET"],
      ["PUT", `${prefix}/close`, "DELETE"],
      ["PATCH", "/reporting/user/update", "PUT"],
      ["OPTIONS", `${prefix}/add`, "POST"],
      ["DELETE", "/reporting/file/x.png", "GET"],
    ] as const;
    for (const [method, place, allow] of cases) {
      const answer = await app.call(method, place, method === "GET" ? {} : json("{"));
      assert.deepEqual([answer.status, answer.json.code, answer.headers.get("allow")], [405, "10003", allow], place);
    }
  });

  test("a path that cannot be read is 10001, and the log does not repeat it", async () => {
    const { status, json } = await app.call("GET", "/reporting/file/%zz?phone=5550100");
    assert.deepEqual([status, json.code], [400, "10001"]);
    assert.doesNotMatch(JSON.stringify(app.logged), /%zz|5550100/);
  });
});

test("log lines name the route and the request, and nothing that came with it", async () => {
  app.logged.length = 0;
  await list({ query: { name: "word-in-query" } });
  await add({
    body: sampleReport({ phone: "555 0199 7777", code: "word-in-code" }),
    headers: { "x-own": "word-in-header" },
  });
  const login = await app.call("POST", "/reporting/user/login", {
    body: { userName: boss.userName, password: testPassword },
  });
  await app.call("POST", "/reporting/user/login", { body: { userName: "word-in-name", password: "word-in-password" } });
  await app.call("GET", "/reporting/file/word-in-path.png");
  await app.call("GET", "/word-in-path?ticket=word-in-query");
  await app.call("GET", `${prefix}/download`, { query: { ticket: "word-in-ticket" } });
  const text = JSON.stringify(app.logged);
  for (const word of ["word-in", "0199", token, login.json.data.token, testPassword, "horse"])
    assert.ok(!text.includes(word), word);
  const answered = app.logged.filter(({ msg }) => msg === "answered");
  assert.deepEqual(answered.map(({ route, status }) => `${status} ${route}`).slice(0, 5), [
    `200 ${prefix}/list`,
    `200 ${prefix}/add`,
    "200 /reporting/user/login",
    "401 /reporting/user/login",
    "404 /reporting/file/:name",
  ]);
  for (const line of answered) assert.match(String(line["reqId"]), /^[\w-]{12}-[0-9a-z]+$/);
});

test("a full disk is a failure that passes, and says what it is", () => {
  for (const code of ["ENOSPC", "53100"]) {
    const { problem, extras } = toProblem(Object.assign(new Error("no space left on device"), { code }), {});
    assert.equal(problem, "unavailable", code);
    assert.match(extras.detail?.en ?? "", /disk is full/);
    assert.deepEqual(extras.headers, { "retry-after": "2" });
  }
});
