import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { startCampusStandIn } from "#test/stand-ins/campus.ts";
import type { CampusStandIn, CampusStandInOptions } from "#test/stand-ins/campus.ts";
import { failOf } from "#test/stand-ins/outside-failure.ts";
import { type CampusOptions, createCampusClient } from "./campus.ts";

const tokenPath = "/connect/oauth2/token";
const userPath = "/connect/oauth/get-user-info";

const started: CampusStandIn[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((standIn) => standIn.close()));
});

async function setUp(options: Partial<CampusOptions> = {}, standInOptions: CampusStandInOptions = {}) {
  const platform = await startCampusStandIn(standInOptions);
  started.push(platform);
  const { appKey, appSecret, schoolCode, redirectUri, url: baseUrl } = platform;
  const known = { appKey, appSecret, schoolCode, redirectUri, baseUrl, timeoutMs: 2000 };
  return { platform, client: createCampusClient({ ...known, ...options }) };
}

test("a code gives the card number and the telephone without the country's prefix", async () => {
  const { client, platform } = await setUp();
  const wxcode = "code-20261234";
  assert.deepEqual(await client.exchangeCode(wxcode), { cardNumber: "20261234", phone: "10020261234" });
  const { appKey: app_key, appSecret: app_secret, redirectUri: redirect_uri } = platform;
  const body = { wxcode, app_key, app_secret, grant_type: "authorization_code", redirect_uri };
  assert.deepEqual(platform.received[0], { method: "POST", path: tokenPath, query: {}, body });
});

test("telephones as schools write them", async () => {
  const { client, platform } = await setUp();
  const forms: [string | null, string | null][] = [
    [null, null],
    ["", null],
    ["(+86)", null],
    [" (86) 10012345678 ", "10012345678"],
    ["10012345678", "10012345678"],
    ["(+852)10012345", "(+852)10012345"],
  ];
  for (const [i, [telephone, phone]] of forms.entries()) {
    platform.addCode(`w${i}`, { telephone });
    assert.equal((await client.exchangeCode(`w${i}`)).phone, phone);
  }
});

test("a user of another school is refused, and his data are not asked for", async () => {
  const { client, platform } = await setUp();
  platform.addCode("guest", { schoolCode: "1000000002" });
  const { service, kind, retryable } = await failOf(client.exchangeCode("guest"));
  assert.deepEqual([service, kind, retryable, platform.countOf(userPath)], ["campus", "refused", false, 0]);
  platform.fail({ status: 200, body: '{"errcode":0,"ocode":1000000002,"card_number":"7"}' }, { path: userPath });
  assert.match((await failOf(client.exchangeCode("code-7"))).message, /another school/);
});

test("a code works once, for five minutes", async () => {
  let nowMs = Date.UTC(2026, 10, 20);
  const { client, platform } = await setUp({}, { now: () => nowMs });
  await client.exchangeCode("code-1");
  const again = await failOf(client.exchangeCode("code-1"));
  assert.deepEqual([again.kind, again.retryable, again.errcode], ["code-invalid", false, 40003]);
  platform.addCode("old");
  nowMs += 300_001;
  assert.equal((await failOf(client.exchangeCode("old"))).kind, "code-invalid");
  assert.equal((await failOf(client.exchangeCode("never heard of"))).kind, "code-invalid");
});

test("wrong settings are refused: the secret may be put right, a return address that differs may not", async () => {
  const secret = await failOf((await setUp({ appSecret: "wrong" })).client.exchangeCode("code-1"));
  assert.deepEqual([secret.kind, secret.retryable, secret.errcode], ["refused", true, 40001]);
  const address = await failOf((await setUp({ redirectUri: "mnp://other" })).client.exchangeCode("code-1"));
  assert.deepEqual([address.kind, address.retryable, address.errcode], ["refused", false, 40010]);
});

test("a busy platform is asked once more for the token; silence is not", async () => {
  const { client, platform } = await setUp({ timeoutMs: 100 });
  platform.fail({ errcode: -1 });
  assert.equal((await client.exchangeCode("code-1")).cardNumber, "1");
  platform.fail("silent");
  const { kind, retryable } = await failOf(client.exchangeCode("code-2"));
  assert.deepEqual([kind, retryable, platform.countOf(tokenPath)], ["unavailable", true, 3]);
});

test("once the code is spent, a passing failure is tried again at once", async () => {
  const { client, platform } = await setUp({ timeoutMs: 300 });
  for (const fault of ["silent", { status: 500 }, { errcode: -1 }] as const) {
    platform.fail(fault, { path: userPath });
    assert.equal((await client.exchangeCode(`code-${platform.countOf(userPath)}1`)).phone?.startsWith("100"), true);
  }
  assert.deepEqual([platform.countOf(tokenPath), platform.countOf(userPath)], [3, 6]);
});

test("a second failure after the code is spent is final", async () => {
  const { client, platform } = await setUp();
  platform.fail({ status: 502 }, { path: userPath, times: 2 });
  const { kind, retryable, status, message } = await failOf(client.exchangeCode("code-1"));
  assert.deepEqual([kind, retryable, status], ["unavailable", false, 502]);
  assert.equal(message, "campus: the user data could not be read, and the code can no longer be used (status 502)");
});

test("a refusal of the user's data is not repeated", async () => {
  const { client, platform } = await setUp();
  platform.fail({ errcode: 40007 }, { path: userPath });
  const { kind, retryable, errcode } = await failOf(client.exchangeCode("code-1"));
  assert.deepEqual([kind, retryable, errcode, platform.countOf(userPath)], ["refused", false, 40007, 1]);
});

test("no error names the code, the card or a secret", async () => {
  const { client, platform } = await setUp();
  for (const errcode of [-1, 40001, 40002, 40003, 40005, 40007, 40008, 40018, 77777]) {
    platform.fail({ errcode, errmsg: `code-9 ${platform.appSecret}` }, { times: errcode === -1 ? 2 : 1 });
    const { stack = "" } = await failOf(client.exchangeCode("code-9"));
    assert.ok(!stack.includes("code-9") && !stack.includes(platform.appSecret), stack);
  }
});
