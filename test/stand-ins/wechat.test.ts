import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { startWeChatStandIn } from "./wechat.ts";
import type { WeChatStandIn } from "./wechat.ts";

let platform: WeChatStandIn;
let nowMs = Date.UTC(2026, 10, 20, 2);
before(async () => {
  platform = await startWeChatStandIn({ now: () => nowMs });
});
after(() => platform.close());

type Said = { errcode?: number; errmsg?: string; access_token?: string; expires_in?: number };

async function call(url: string, path: string, body?: unknown): Promise<Said> {
  const response = await fetch(url + path, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
  assert.equal(response.status, 200);
  return (await response.json()) as Said;
}

const askToken = (force = false, more: object = {}) =>
  call(platform.url, "/cgi-bin/stable_token", {
    grant_type: "client_credential",
    appid: platform.appId,
    secret: platform.secret,
    force_refresh: force,
    ...more,
  });

test("failures come with status 200 and the true errcode", async () => {
  const { access_token: token = "" } = await askToken();
  const send = `/cgi-bin/message/subscribe/send?access_token=${token}`;
  const said = await Promise.all([
    call(platform.url, "/unknown"),
    call(platform.url, "/cgi-bin/stable_token"),
    call(platform.url, "/sns/jscode2session", {}),
    call(platform.url, "/sns/jscode2session"),
    askToken(false, { appid: "wx" }),
    askToken(false, { secret: "" }),
    askToken(false, { secret: "wrong" }),
    askToken(false, { grant_type: "authorization_code" }),
    call(platform.url, "/cgi-bin/message/subscribe/send", {}),
    call(platform.url, "/cgi-bin/message/subscribe/send?access_token=short", {}),
    call(platform.url, `/cgi-bin/message/subscribe/send?access_token=${"x".repeat(136)}`, {}),
    call(platform.url, send, "text"),
    call(platform.url, send, {}),
    call(platform.url, send, { touser: platform.openIdOf("code-a"), template_id: "" }),
    call(platform.url, `/wxa/business/getuserphonenumber?access_token=${token}`, {}),
  ]);
  const expected = [
    40066, 43002, 43001, 41002, 40013, 41004, 40125, 40002, 41001, 40014, 40001, 47001, 40003, 40037, 41008,
  ];
  assert.deepEqual(
    said.map(({ errcode }) => errcode),
    expected,
  );
});

test("47003 for data as text, a number, an empty value, one over the limit, a line break", async () => {
  const { access_token: token } = await askToken();
  const send = (data: unknown) =>
    call(platform.url, `/cgi-bin/message/subscribe/send?access_token=${token}`, {
      touser: platform.openIdOf("code-a"),
      template_id: "t",
      data,
    });
  const values = [7, "", "长".repeat(21), "a\nb"];
  const said = await Promise.all([
    send('{"thing1":{"value":"x"}}'),
    ...values.map((value) => send({ thing1: { value } })),
  ]);
  for (const { errcode } of said) assert.equal(errcode, 47003);
  assert.match(said[3]?.errmsg ?? "", /data\.thing1\.value invalid/);
  assert.equal((await send({ thing1: { value: "长".repeat(20) } })).errcode, 0);
});

test("the token stays the same until five minutes before its end; then both work", async () => {
  const first = await askToken();
  nowMs += 6_899_000;
  assert.deepEqual(await askToken(), { ...first, expires_in: 301 });
  nowMs += 1000;
  const second = await askToken();
  assert.notEqual(second.access_token, first.access_token);
  for (const { access_token: token = "" } of [first, second]) assert.equal(platform.tokens.check(token), 0);
  nowMs += 300_000;
  assert.equal(platform.tokens.check(first.access_token ?? ""), 42001);
});

test("force ends the old token, does nothing within thirty seconds, and is used up after twenty", async () => {
  const first = await askToken();
  const second = await askToken(true);
  assert.notEqual(second.access_token, first.access_token);
  assert.equal(platform.tokens.check(first.access_token ?? ""), 40001);
  nowMs += 29_999;
  assert.equal((await askToken(true)).access_token, second.access_token);
  for (let i = 2; i < 20; i++) await askToken(true);
  assert.equal((await askToken(true)).errcode, 45009);
  nowMs += 86_400_000;
  assert.equal((await askToken(true)).errcode, undefined);
});

test("by hand it prints its settings, and each message on one line", async (t) => {
  const child = spawn(process.execPath, [new URL("wechat.ts", import.meta.url).pathname, "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill());
  const lines = createInterface(child.stdout);
  const [settings] = (await once(lines, "line")) as [string];
  const [, url = "", appid = "", secret = ""] =
    /^export WECHAT_BASE_URL=(\S+) WECHAT_APP_ID=(\S+) WECHAT_SECRET=(\S+) WECHAT_TEMPLATE_ID=/.exec(settings) ?? [];
  const token = await call(url, "/cgi-bin/stable_token", {
    grant_type: "client_credential",
    appid,
    secret,
  });
  const login = await fetch(
    `${url}/sns/jscode2session?appid=${appid}&secret=${secret}&js_code=code-x&grant_type=authorization_code`,
  );
  const { openid } = (await login.json()) as { openid: string };
  const line = once(lines, "line");
  const message = { touser: openid, template_id: "t", data: { thing1: { value: "收到" } } };
  await call(url, `/cgi-bin/message/subscribe/send?access_token=${token.access_token}`, message);
  assert.deepEqual(await line, [`message to ${openid}: {"thing1":"收到"}`]);
});
