import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { pino } from "pino";
import { evaluateConditions } from "#platform/alerts/evaluate.ts";
import { accountConditions } from "#platform/accounts/conditions.ts";
import { nameConditions } from "#platform/process/condition.ts";
import type { Platform } from "#platform/process/platform.ts";
import { readSettings } from "#quintet/settings.ts";
import { type CallOptions, type SignedIn, startTestApp, testPassword } from "#test/app.ts";

const mostFailures = 20;
const app = await startTestApp({ settings: { RATE_LIMIT_LOGIN: String(mostFailures), TRUSTED_PROXIES: "127.0.0.1" } });
const operator = await app.signIn("platform");
const at = "/platform/serviceAccount";

// By default each use of a key comes from a new IP address, so that failures do not add up to the rate limit.
let clients = 0;
const newClient = () => `198.51.100.${++clients}`;

async function call(token: string | undefined, method: string, path: string, options: CallOptions = {}) {
  const headers = { "x-forwarded-for": "203.0.113.1", ...options.headers };
  const { status, json } = await app.call(method, path, { token, ...options, headers });
  return { status, code: json?.code, data: json?.data, message: json?.message };
}
const ask = ({ token }: Pick<SignedIn, "token">, method: string, path: string, body?: unknown) =>
  call(token, method, `${at}${path}`, { body });
const codeOf = async (...of: Parameters<typeof ask>): Promise<string> => (await ask(...of)).code;

let names = 0;
const reads = ["reporting.read", "reporting.export", "platform.read"];
async function makeAccount(rights: readonly string[] = reads, by = operator) {
  const userName = `script-${++names}`;
  const { code, data, message } = await ask(by, "POST", "/save", { userName, name: "nightly figures", rights });
  assert.equal(code, "0", message);
  return { id: Number(data), userName };
}
interface Key {
  readonly id: number;
  readonly key: string;
}
async function makeKey(accountId: number, more: object = {}): Promise<Key> {
  const body = { accountId, name: "cron", days: 30, ...more };
  const { code, data, message } = await ask(operator, "POST", "/key/save", body);
  assert.equal(code, "0", message);
  return data;
}
const reports = "/reporting/informationReporting/list";
const use = async (key: string, { path = reports, from = newClient(), method = "GET" } = {}) =>
  call(undefined, method, path, {
    headers: { authorization: `Bearer ${key}`, "x-forwarded-for": from, "accept-language": "en" },
  });

describe("a key", () => {
  test("opens what its account may do, in each header, and nothing else", async () => {
    const { id } = await makeAccount();
    const { key } = await makeKey(id);
    assert.match(key, /^qk_\d+_[\w-]{43}$/);
    assert.equal((await use(key)).code, "0");
    for (const name of ["admin_token", "admin-token"])
      assert.equal((await call(undefined, "GET", reports, { headers: { [name]: key } })).code, "0");
    assert.equal((await app.call("GET", "/metrics", { headers: { authorization: `Bearer ${key}` } })).status, 200);
    assert.equal((await use(key, { path: "/reporting/informationReporting/download" })).status, 200);
    assert.equal((await use(key, { path: "/tuitionpayment/order/list" })).code, "10008");
    const { data: own } = await use(key, { path: "/platform/session/own" });
    assert.deepEqual([own.services, own.rights.toSorted()], [["reporting"], reads.toSorted()]);
    const other = await makeKey(id);
    const two = { authorization: `Bearer ${key}`, admin_token: other.key };
    assert.equal((await call(undefined, "GET", reports, { headers: two })).code, "10006");
  });

  test("writes as its account, and the audit log names both", async () => {
    const account = await makeAccount(["platform.write"]);
    const { key, id } = await makeKey(account.id);
    const { code, message } = await use(key, { path: "/platform/alerts/test", method: "POST" });
    assert.equal(code, "0", message);
    const [line] = await app.pool`
      select user_name, account_id, outcome from platform.audit where action = 'testAlertChannels' order by id desc limit 1`;
    assert.deepEqual(
      { ...line },
      { user_name: `${account.userName} (qk_${id})`, account_id: account.id, outcome: "done" },
    );
  });

  test("makes no accounts, no keys and no tickets, whatever its rights", async () => {
    const account = await makeAccount([...reads, "platform.accounts", "reporting.accounts"]);
    const { key, id } = await makeKey(account.id);
    for (const [path, body] of [
      ["/platform/operator/save", { userName: "grown", password: testPassword, rights: [] }],
      [`${at}/key/save`, { accountId: account.id, name: "x", days: 1 }],
      [`${at}/key/rotate`, { id }],
      ["/platform/logout", undefined],
      ["/reporting/informationReporting/downloadTicket", undefined],
    ] as const)
      assert.equal((await call(key, "POST", path, { body })).code, "10008", path);
    assert.equal((await call(key, "GET", "/platform/session/own")).code, "0");
  });

  test("is worth nothing once it is revoked, expired, or its account is disabled or deleted", async () => {
    const account = await makeAccount();
    const [revoked, expired, third] = [await makeKey(account.id), await makeKey(account.id), await makeKey(account.id)];
    assert.equal((await ask(operator, "PUT", "/key/revoke", [revoked.id])).data, "1");
    await app.pool`update platform.access_key set expires_at = now() where id = ${expired.id}`;
    for (const [{ key, id }, says] of [
      [revoked, /revoked/],
      [expired, /expired/],
    ] as const) {
      const { status, code, message } = await use(key);
      assert.deepEqual([status, code], [401, "10006"]);
      assert.match(message, says);
      const [line] = await app.pool`select outcome from platform.audit where user_name = ${`qk_${id}`}`;
      assert.deepEqual({ ...line }, { outcome: "failed" });
    }
    const update = (change: object) => codeOf(operator, "PUT", "/update", { id: account.id, ...change });
    const read = async (path = reports) => (await use(third.key, { path })).code;
    assert.equal(await update({ status: "0" }), "0");
    assert.equal(await read(), "10006");
    assert.equal(await update({ status: "1", rights: ["platform.read"] }), "0");
    assert.equal(await read(), "10008", "fewer rights hold at once");
    assert.equal(await read("/platform/settings"), "0");
    assert.equal(await codeOf(operator, "DELETE", "/delete", [account.id]), "0");
    assert.equal(await read("/platform/settings"), "10006");
  });

  test("counts from the networks that it is bound to, and with the rights that it is narrowed to", async () => {
    const { id } = await makeAccount();
    const { key } = await makeKey(id, { networks: ["192.0.2.0/28", "2001:db8:7::/48"], rights: ["reporting.read"] });
    for (const from of ["192.0.2.3", "2001:db8:7:1::9"]) assert.equal((await use(key, { from })).code, "0", from);
    for (const from of ["192.0.2.99", "2001:db8:8::1"]) assert.equal((await use(key, { from })).code, "10008", from);
    assert.equal((await use(key, { from: "192.0.2.3", path: "/platform/audit" })).code, "10008");
  });

  test("is nothing in half, made up, of another number or with more behind it", async () => {
    const { id } = await makeAccount();
    const [{ key }, other] = [await makeKey(id), await makeKey(id)];
    const secret = key.slice(key.lastIndexOf("_", key.length - 43) + 1);
    const bad = [
      "qk_",
      key.slice(0, 20),
      key.slice(0, 43),
      `${key}x`,
      `qk_${other.id}_${secret}`,
      `qk_999999_${"a".repeat(43)}`,
      `qk_${"9".repeat(30)}_${"a".repeat(43)}`,
    ];
    const from = newClient();
    for (const one of bad) assert.equal((await use(one, { from })).code, "10006", one);
    const { json } = await app.call("GET", reports, { headers: { authorization: "Basic b3BlcmF0b3I6eA==" } });
    assert.equal(json.code, "10012", "another's way of signing in is not looked at");
  });

  test("goes on at an address from which thousands of wrong ones come, which are soon told to wait", async () => {
    const { id } = await makeAccount();
    const { key } = await makeKey(id);
    const from = newClient();
    const codes: string[] = [];
    for (let batch = 0; batch < 5; batch++) {
      const wrong = Array.from({ length: 40 }, (_none, n) =>
        use(`${key.slice(0, -6)}${String(100_000 + batch * 40 + n)}`, { from }),
      );
      const [right, ...answers] = await Promise.all([use(key, { from }), ...wrong]);
      assert.equal(right?.code, "0");
      codes.push(...answers.map(({ code }) => code));
    }
    assert.ok(codes.every((code) => code === "10006" || code === "20001"));
    assert.ok(codes.filter((code) => code === "10006").length <= 2 * mostFailures);
    const headers = { "x-forwarded-for": from };
    assert.equal((await call(operator.token, "GET", "/platform/audit", { headers })).code, "0");
  });
});

describe("keys are looked after", () => {
  test("only their hash is kept, they end within a year, and uses are counted by day without a write each", async () => {
    const account = await makeAccount();
    const { key, id } = await makeKey(account.id, { days: 365 });
    const [stored] = await app.pool`select k::text from platform.access_key k where id = ${id}`;
    assert.ok(!String(stored?.["text"]).includes(key.slice(-43)));
    assert.ok(!app.logged.some((line) => JSON.stringify(line).includes(key.slice(-43))));
    const wrong = [
      ...[0, 366, 1.5, "30", null, undefined].map((days) => ({ days })),
      ...[[], ["10.0.0.0/33"], ["all"], "10.0.0.0/8"].map((networks) => ({ days: 1, networks })),
    ];
    for (const given of wrong)
      assert.equal(
        await codeOf(operator, "POST", "/key/save", { accountId: account.id, name: "x", ...given }),
        "10001",
      );
    await Promise.all(Array.from({ length: 7 }, () => use(key)));
    const [written] = await app.pool`select count(*) as count from platform.access_key_use where key_id = ${id}`;
    assert.equal(written?.["count"], 0);
    const { data: days } = await call(operator.token, "GET", `${at}/key/use`, { query: { id } });
    assert.deepEqual([days.length, days[0].uses], [1, 7]);
    await use(key);
    const { data: list } = await call(operator.token, "GET", `${at}/key/list`, { query: { accountId: account.id } });
    const { uses, state, mark, lastUseTime } = list[0];
    assert.deepEqual([uses, state, mark, lastUseTime !== null], [8, "valid", `qk_${id}`, true]);
  });

  test("a key is rotated once, also by two at once, and the old one goes on for a while", async () => {
    const { id: accountId } = await makeAccount();
    const old = await makeKey(accountId, { networks: ["203.0.113.0/24"], rights: ["reporting.read"] });
    const rotate = (id: number, graceHours = 1) => ask(operator, "POST", "/key/rotate", { id, graceHours });
    const both = await Promise.all([rotate(old.id), rotate(old.id)]);
    assert.deepEqual(both.map(({ code }) => code).toSorted(), ["0", "10007"]);
    const made: Key = both.find(({ code }) => code === "0")?.data;
    const from = "203.0.113.7";
    for (const { key } of [old, made]) assert.equal((await use(key, { from })).code, "0");
    const [row] = await app.pool`
      select expires_at < now() + interval '61 minutes' as soon from platform.access_key where id = ${old.id}`;
    assert.deepEqual({ ...row }, { soon: true });
    const [next] = await app.pool`
      select rights, networks, expires_at > now() + interval '29 days' as long from platform.access_key where id = ${made.id}`;
    assert.deepEqual({ ...next }, { rights: ["reporting.read"], networks: ["203.0.113.0/24"], long: true });
    assert.equal((await rotate(made.id, 0)).code, "0");
    assert.equal((await use(made.key, { from })).code, "10006");
    assert.equal(await codeOf(operator, "PUT", "/key/revoke", [old.id]), "0");
    assert.equal((await rotate(old.id)).code, "10007");
    assert.equal((await rotate(999_999)).code, "10005");
  });

  test("nobody gives a service account more than they have, nor looks after one that has more", async () => {
    const limited = await app.signIn("platform");
    await app.pool`update platform.account set rights = '{platform.read,platform.accounts,reporting.read}' where id = ${limited.id}`;
    const more = await makeAccount();
    const { id: key } = await makeKey(more.id);
    const own = await makeAccount(["reporting.read"], limited);
    const clerk = await app.signIn("reporting", { isSuper: true });
    const newKey = { accountId: more.id, name: "mine", days: 1 };
    for (const [by, method, path, body] of [
      [limited, "POST", "/save", { userName: "mine", rights: ["reporting.write"] }],
      [limited, "PUT", "/update", { id: more.id, name: "mine" }],
      [limited, "DELETE", "/delete", [more.id]],
      [limited, "POST", "/key/save", newKey],
      [limited, "POST", "/key/rotate", { id: key }],
      [limited, "PUT", "/key/revoke", [key]],
      [operator, "POST", "/key/save", { ...newKey, rights: ["attendance.read"] }],
      [limited, "PUT", "/update", { id: own.id, rights: ["reporting.export"] }],
      [clerk, "GET", "/list", undefined],
    ] as const)
      assert.equal(await codeOf(by, method, path, body), "10008", path);
    assert.equal(await codeOf(operator, "POST", "/save", { userName: own.userName, rights: [] }), "10004");
    const named = { id: own.id, userName: operator.userName, rights: [] };
    assert.equal(await codeOf(operator, "POST", "/save", named), "10004");
    assert.equal(await codeOf(operator, "PUT", "/update", named), "10004");
    const login = { body: { userName: own.userName, password: testPassword } };
    assert.equal((await call(undefined, "POST", "/platform/login", login)).code, "10009");
  });

  test("one that expires soon is an alert, until it is rotated", async () => {
    const account = await makeAccount();
    const key = await makeKey(account.id, { days: 5 });
    const platform = { pool: app.pool, settings: readSettings({}), clock: Date.now, log: pino({ level: "silent" }) };
    const look = async () => {
      await evaluateConditions(nameConditions("platform", accountConditions), {
        platform: platform as unknown as Platform,
        listParts: async () => [],
      });
      const rows = await app.pool`
        select subject from platform.alert where condition = 'platform.key-ending' and subject = ${`qk_${key.id}`} and over_at is null`;
      return rows.length;
    };
    assert.equal(await look(), 1);
    assert.equal(await codeOf(operator, "POST", "/key/rotate", { id: key.id }), "0");
    assert.equal(await look(), 0);
  });
});

test("the example of the documents works as it stands", async () => {
  const document = await readFile(new URL("../docs/interface/README.md", import.meta.url), "utf8");
  const script = /<!-- key example -->\n```sh\n([^]*?)```/.exec(document)?.[1];
  assert.ok(script);
  const { id } = await makeAccount();
  const { key } = await makeKey(id);
  const { stdout } = await promisify(execFile)("bash", ["-euc", script], {
    env: { ...process.env, BASE: app.url, QUINTET_KEY: key },
    cwd: app.dataDir,
  });
  assert.match(stdout, /"success":true/);
  assert.equal((await readFile(`${app.dataDir}/reports.xlsx`)).subarray(0, 2).toString(), "PK");
});
