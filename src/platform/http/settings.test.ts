import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Answer, startTestApp, type TestApp, testPassword } from "#test/app.ts";
import { pngBytes } from "#test/disease-command.ts";
import { withinOneMinute } from "#test/one-minute.ts";
import { sampleReport } from "#test/sample-report.ts";

const origin = "https://console.example.edu";
const app = await startTestApp({
  services: ["reporting", "attendance"],
  settings: {
    INPUT_STYLE: "lenient",
    STATUS_STYLE: "always-200",
    BASE_PATH: "/quintet",
    CORS_ORIGINS: `${origin},https://other.example.edu`,
  },
});
const { token, userName } = await app.signIn("reporting");
const prefix = "/reporting/informationReporting";
const list = (query: Record<string, string | number> = {}) => app.call("GET", `${prefix}/list`, { token, query });
const add = (given: Record<string, unknown>) => app.call("POST", `${prefix}/add`, { body: sampleReport(given) });

describe("INPUT_STYLE=lenient", () => {
  test("takes numbers for text and decimal text for integers", async () => {
    const { json } = await add({ name: 5, projectAmount: 1.5, bProduct: [1, "b"], content: 0 });
    const [row] = (await list()).json.data.list;
    assert.deepEqual([row.name, row.projectAmount, row.bProduct, row.content], ["5", "1.5", ["1", "b"], "0"]);
    const close = (itemId: unknown) => app.call("DELETE", `${prefix}/close`, { token, body: { itemId } });
    for (const wrong of ["1.0", "x", " 1", "1e0", true, [1], "9007199254740993"])
      assert.equal((await close(wrong)).json.code, "10001", String(wrong));
    assert.equal((await close("")).json.code, "10023");
    assert.equal((await close(json.data)).json.code, "0");
    assert.equal((await app.call("DELETE", `${prefix}/delete`, { token, body: { ids: [json.data] } })).json.data, "1");
  });

  test("cuts a larger page to 1000, and only that", async () => {
    assert.equal((await list({ pageSize: 5000 })).json.data.pageSize, 1000);
    for (const query of [{ pageSize: 0 }, { pageSize: "x" }, { currPage: 0 }])
      assert.equal((await list(query as never)).json.code, "10001");
  });
});

test("STATUS_STYLE=always-200 sends the envelope with 200 where a success has one too, and the rest as it is", async () => {
  const codes: [Promise<Answer>, number, string][] = [
    [app.call("GET", `${prefix}/list`), 200, "10012"],
    [app.call("GET", "/reporting/wx/getPhone?code=x"), 200, "20004"],
    [app.call("POST", "/reporting/file/fileUpDown"), 200, "10030"],
    [app.call("POST", `${prefix}/add`, { raw: "{", headers: { "content-type": "application/json" } }), 200, "10001"],
    [app.call("POST", `${prefix}/add`, { body: { content: "x".repeat(1024 * 1024) } }), 200, "10026"],
    [app.call("POST", "/reporting/user/login", { body: { userName, password: "wrong-horse" } }), 200, "10009"],
    [app.call("GET", "/nope"), 404, "20003"],
    [app.call("GET", "/reporting/nope"), 404, "20003"],
    [app.call("PUT", `${prefix}/list`), 405, "10003"],
    [app.call("GET", "/reporting/file/%zz"), 400, "10001"],
    [app.call("GET", "/reporting/file/none.png"), 404, "10005"],
    [app.call("GET", "/reporting/wx/getOpenId?code=x"), 503, "20004"],
    [app.call("GET", "/reporting/wx/getOpenId"), 400, "10001"],
    [app.call("GET", `${prefix}/download`), 401, "10012"],
    [app.call("GET", `${prefix}/download`, { token, query: { status: 7 } }), 400, "10001"],
  ];
  for (const [answer, wanted, code] of codes) {
    const { status, json } = await answer;
    assert.deepEqual([status, json.code, json.success], [wanted, code, false]);
  }
});

test("an operation that is asked for a file keeps its status, and its envelope has none", async () => {
  const download = (query: Record<string, string>) =>
    app.call("GET", "/attendance/month/downLoad", { query: { month: "2026-10", ...query } });
  assert.deepEqual([(await download({})).status, (await download({ format: "json" })).status], [200, 200]);
  assert.equal((await download({ format: "xlsx" })).status, 401);
  assert.equal((await app.call("GET", "/attendance/month/te")).status, 401);
});

test("BASE_PATH stands before everything, and nothing is outside", async () => {
  const root = new URL(app.url).origin;
  assert.equal(app.url, `${root}/quintet`);
  const outside = await fetch(`${root}/reporting/user/publicKey`);
  assert.equal(((await outside.json()) as { code: string }).code, "20003");
  const { data } = (await app.call("POST", "/reporting/file/fileUpDown", { file: ["a", "text"] })).json;
  assert.match(data, /^\/quintet\/reporting\/file\//);
  assert.equal(await (await fetch(root + data, { headers: { admin_token: token } })).text(), "text");
  assert.equal((await add({ file: root + data })).json.code, "0");
  assert.equal((await app.pool`select claimed from platform.upload`)[0]?.["claimed"], true);
  const login = await app.call("POST", "/reporting/user/login", { body: { userName, password: testPassword } });
  assert.match(login.headers.getSetCookie()[0] ?? "", /Path=\/quintet\/reporting\//);
});

test("PUBLIC_URL makes the links of answers addresses, which records may name", async () => {
  const outside = "https://api.example.edu/city";
  const at = await startTestApp({
    services: ["reporting", "disease-command"],
    settings: { PUBLIC_URL: `${outside}/`, BASE_PATH: "/quintet" },
  });
  const { token } = await at.signIn("platform");
  const link: string = (await at.call("POST", "/reporting/file/fileUpDown", { file: ["a", "text"], token })).json.data;
  assert.match(link, /^https:\/\/api\.example\.edu\/city\/quintet\/reporting\/file\/[0-9a-f]{32}\.txt$/);
  assert.equal(
    (await fetch(link.replace(`${outside}/quintet`, at.url), { headers: { admin_token: token } })).status,
    200,
  );
  await at.call("POST", `${prefix}/add`, { body: sampleReport({ file: link }) });
  assert.deepEqual([...(await at.pool`select claimed from platform.upload`)], [{ claimed: true }]);
  const image = (await at.call("POST", "/disease-command/file/imageUpload", { file: ["a", pngBytes], token })).json
    .data;
  assert.equal(image.url, `${outside}/quintet/disease-command/file/${image.imageName}`);
  const record = { title: "a", address: "b", broadcastType: "c", messageType: "d", content: "e" };
  const extraFile = image.imageName;
  const body = { ...record, extraFile, extraFileShowUrl: "https://evil.example/" };
  await at.call("POST", "/disease-command/broadcast/record/add", { token, body });
  const [row] = (await at.call("GET", "/disease-command/broadcast/record/page")).json.data.recordPage.list;
  assert.equal(row.extraFileShowUrl + row.extraFile, image.url);
});

describe("CORS_ORIGINS", () => {
  const preflight = (from: string, method: string, requested: string) =>
    app.call("OPTIONS", `${prefix}/add`, {
      headers: { origin: from, "access-control-request-method": method, "access-control-request-headers": requested },
    });
  const words = (answer: Answer, name: string) =>
    (answer.headers.get(`access-control-${name}`) ?? "").toLowerCase().split(/,\s*/).sort().join(" ");

  test("may ask beforehand", async () => {
    const answer = await preflight(origin, "DELETE", "admin_token");
    assert.equal(answer.status, 204);
    assert.equal(words(answer, "allow-origin"), origin);
    assert.equal(words(answer, "allow-methods"), "delete get post put");
    assert.equal(words(answer, "allow-credentials"), "true");
    const employees = "employee_no employee_sign employee_time employee_token";
    const ours = `accept-language admin-token admin_token authorization card_number card_sign card_time card_token content-type ${employees}`;
    const more = "idempotency-key report-openid-token report_openid_token x-requested-with";
    assert.equal(words(answer, "allow-headers"), `${ours} ${more}`);
  });

  test("read answers and failures, with four headers more", async () => {
    for (const place of [`${prefix}/list`, "/nope", "/reporting/user/publicKey"]) {
      const answer = await app.call("GET", place, { headers: { origin } });
      assert.equal(words(answer, "allow-origin"), origin, place);
      assert.equal(
        words(answer, "expose-headers"),
        "admin_token content-disposition report_receipt retry-after",
        place,
      );
      assert.match(answer.headers.get("vary") ?? "", /origin/i);
      assert.equal(answer.headers.get("access-control-allow-credentials"), "true");
    }
  });

  test("are those that are listed and no others", async () => {
    for (const other of ["https://evil.example", `${origin}.evil.example`, "null", "http://console.example.edu"]) {
      for (const { headers } of [
        await preflight(other, "POST", "content-type"),
        await app.call("GET", "/reporting/user/publicKey", { headers: { origin: other } }),
      ]) {
        assert.ok(![other, "*"].includes(headers.get("access-control-allow-origin") ?? ""));
        assert.equal(headers.get("access-control-allow-credentials"), null);
      }
    }
  });
});

describe("limits", async () => {
  const settings = { RATE_LIMIT_OPEN: "5", RATE_LIMIT_LOGIN: "3", TRUSTED_PROXIES: "127.0.0.1" };
  const first = await startTestApp({ services: ["reporting"], settings });
  const second = await startTestApp({ services: ["reporting"], settings, beside: first });
  const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
  const submit = (at: TestApp, address: string) =>
    at.call("POST", `${prefix}/add`, { body: sampleReport(), ...from(address) });

  test("count submissions, uploads and look-ups of one address together, in all processes", async () => {
    const answers = await withinOneMinute(first.pool, async () => [
      await submit(first, "198.51.100.1"),
      await submit(second, "198.51.100.1"),
      await first.call("POST", "/reporting/file/fileUpDown", from("198.51.100.1:49152")),
      await second.call("GET", "/reporting/wx/getPhone?code=x", from("198.51.100.1")),
      await first.call("GET", "/reporting/wx/getOpenId", from("203.0.113.9, 198.51.100.1")),
      await second.call("POST", `${prefix}/add`, {
        raw: "{",
        headers: { ...from("198.51.100.1").headers, "content-type": "application/json" },
      }),
      await submit(first, "198.51.100.2"),
    ]);
    assert.deepEqual(
      answers.map(({ json }) => json.code),
      ["0", "0", "10030", "20004", "10001", "20001", "0"],
    );
    const limited = answers[5];
    assert.equal(limited?.status, 429);
    const seconds = Number(limited?.headers.get("retry-after"));
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${seconds}`);
  });

  test("count logins apart, and reads not at all", async () => {
    const login = () =>
      second.call("POST", "/reporting/user/login", {
        body: { userName: "nobody", password: "x" },
        ...from("198.51.100.1"),
      });
    const codes = await withinOneMinute(first.pool, async () => {
      const answers = [await login(), await login(), await login(), await login(), await submit(first, "198.51.100.1")];
      for (let time = 0; time < 8; time++)
        answers.push(await first.call("GET", "/reporting/user/publicKey", from("198.51.100.1")));
      return answers.map(({ json }) => json.code);
    });
    assert.deepEqual(codes, ["10009", "10009", "10009", "20001", ...Array(9).fill("0")]);
  });

  test("hold for many at once, and begin anew with the minute", async () => {
    const submitEach = (_: unknown, index: number) => submit(index % 2 ? first : second, "198.51.100.3");
    const answers = await withinOneMinute(first.pool, () => Promise.all(Array.from({ length: 12 }, submitEach)));
    const codes = answers.map(({ json }) => json.code).sort();
    assert.deepEqual(codes, [...Array(5).fill("0"), ...Array(7).fill("20001")]);
    await first.pool`update platform.rate_count set minute = minute - 1`;
    assert.equal((await submit(first, "198.51.100.3")).json.code, "0");
  });

  test("believe X-Forwarded-For from trusted proxies alone", async () => {
    const plain = await startTestApp({ services: ["reporting"], settings: { RATE_LIMIT_OPEN: "2" }, beside: first });
    const codes = await withinOneMinute(first.pool, async () => {
      const answers = [];
      for (const address of ["198.51.100.1", "198.51.100.2", "198.51.100.3"])
        answers.push(await submit(plain, address));
      return answers.map(({ json }) => json.code);
    });
    assert.deepEqual(codes, ["0", "0", "20001"]);
  });
});
