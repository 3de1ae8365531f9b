import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { startCampusStandIn } from "#test/stand-ins/campus.ts";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import { checkMessagingSettings, createMessaging, findCampusSignIn, messagingSettings } from "./index.ts";

const schema = z.object(messagingSettings).superRefine(checkMessagingSettings);

function problemsOf(given: Record<string, string>): string[] {
  const result = schema.safeParse(given);
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
}

const wechat = { WECHAT_APP_ID: "wx1", WECHAT_SECRET: "s" };
const template = { WECHAT_TEMPLATE_ID: "t", WECHAT_TEMPLATE_FIELDS: "phrase1=verdict, thing2=ps" };
const campus = {
  CAMPUS_APP_KEY: "0A1B2C3D4E5F6071",
  CAMPUS_APP_SECRET: "00112233445566778899AABBCCDDEEFF",
  CAMPUS_SCHOOL_CODE: "1000000001",
  CAMPUS_REDIRECT_URI: "https://campus.example/return",
};

test("whole configurations are fine", () => {
  for (const given of [wechat, campus, { ...wechat, ...template, ...campus }]) assert.deepEqual(problemsOf(given), []);
});

const wrong: [Record<string, string>, string[]][] = [
  [{ ...wechat, WECHAT_SECRET: "" }, ["WECHAT_SECRET is required with WECHAT_APP_ID"]],
  [{ WECHAT_SECRET: "s" }, ["WECHAT_APP_ID is required with WECHAT_SECRET"]],
  [{ ...wechat, WECHAT_TEMPLATE_ID: "t" }, ["WECHAT_TEMPLATE_FIELDS is required with WECHAT_TEMPLATE_ID"]],
  [template, ["WECHAT_APP_ID is required with WECHAT_TEMPLATE_ID"]],
  [
    { CAMPUS_APP_KEY: "k", CAMPUS_APP_SECRET: "s" },
    [
      "CAMPUS_SCHOOL_CODE is required with CAMPUS_APP_KEY, CAMPUS_APP_SECRET",
      "CAMPUS_REDIRECT_URI is required with CAMPUS_APP_KEY, CAMPUS_APP_SECRET",
    ],
  ],
  [
    { ...wechat, ...template, WECHAT_TEMPLATE_FIELDS: "phrase1=ps" },
    ["WECHAT_TEMPLATE_FIELDS field phrase1 cannot contain ps; use one of thing"],
  ],
];
test("half configurations are named", () => {
  for (const [given, problems] of wrong) assert.deepEqual(problemsOf(given), problems);
});

test("fields of the template: pairs of known values only", () => {
  const said = (fields: string) => problemsOf({ ...wechat, ...template, WECHAT_TEMPLATE_FIELDS: fields });
  assert.deepEqual(said("thing1=ps,time2=time,phrase3=verdict,thing4=entryName"), []);
  for (const fields of ["thing1", "thing1=phone", "thing=ps", "=ps", "{", "thing1=ps,", "thing1=ps=ps"])
    assert.match(said(fields).join(), /must be pairs such as/, fields);
});

test("people are sent to the campus platform with the address that they come back to, and never with the secret", () => {
  const signIn = findCampusSignIn(schema.parse({ ...campus, CAMPUS_BASE_URL: "https://campus.example/kong" }));
  const phone = new URL(signIn?.phone ?? "");
  assert.equal(phone.origin + phone.pathname, "https://campus.example/kong/connect/oauth/authorize");
  assert.deepEqual(Object.fromEntries(phone.searchParams), {
    app_key: campus.CAMPUS_APP_KEY,
    response_type: "code",
    scope: "snsapi_base",
    ocode: campus.CAMPUS_SCHOOL_CODE,
    redirect_uri: campus.CAMPUS_REDIRECT_URI,
  });
  const desk = new URL(signIn?.desk ?? "");
  assert.equal(desk.pathname, "/kong/connect/oauth/pc-authorize");
  assert.equal(desk.searchParams.get("connect"), "curLogin");
});

test("a mini program signs people in by itself", () => {
  assert.equal(findCampusSignIn(schema.parse({ ...campus, CAMPUS_REDIRECT_URI: "mnp://wx1" })), null);
  assert.equal(findCampusSignIn(schema.parse({})), null);
});

test("WeChat looks up, and tells a verdict in the fields that the template has", async (t) => {
  const platform = await startWeChatStandIn();
  t.after(() => platform.close());
  const { appId: WECHAT_APP_ID, secret: WECHAT_SECRET, url: WECHAT_BASE_URL } = platform;
  const settings = { ...campus, WECHAT_APP_ID, WECHAT_SECRET, WECHAT_BASE_URL };
  assert.equal(createMessaging(schema.parse(settings))?.sendVerdict, undefined);
  const fields = "phrase1=verdict,thing2=ps,thing5=entryName,time3=time";
  const sending = { WECHAT_TEMPLATE_ID: "template-1", WECHAT_TEMPLATE_FIELDS: fields, WECHAT_PAGE: "pages/report" };
  const messaging = createMessaging(schema.parse({ ...settings, ...sending }));
  assert.equal(messaging?.kind, "wechat");
  assert.equal(await messaging.findPhone("phone-10012345678"), "10012345678");
  const { openId, phone } = await messaging.identify("code-a");
  assert.equal(phone, null);
  const texts = { verdict: "有效", ps: "请补充\n材料", entryName: "", time: "2026-11-20 10:00:00" };
  await messaging.sendVerdict?.({ openId, receipt: "0a1b", ...texts });
  const data = { phrase1: "有效", thing2: "请补充 材料", thing5: "无", time3: "2026年11月20日 10:00" };
  assert.deepEqual(platform.messages, [{ openId, templateId: "template-1", page: "pages/report?receipt=0a1b", data }]);
});

test("the campus platform looks up card numbers and telephones, and has no messages", async (t) => {
  const platform = await startCampusStandIn();
  t.after(() => platform.close());
  const messaging = createMessaging(schema.parse({ ...campus, CAMPUS_BASE_URL: platform.url }));
  assert.equal(messaging?.kind, "campus");
  assert.deepEqual(await messaging.identify("code-7"), { openId: "7", phone: "10000000007" });
  assert.equal(await messaging.findPhone("code-8"), "10000000008");
  assert.equal(messaging.sendVerdict, undefined);
});
