import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { startCampusStandIn } from "#test/stand-ins/campus.ts";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import { checkMessagingSettings, createMessaging, findCampusSignIn, messagingSettings } from "./index.ts";

const schema = z.object(messagingSettings).superRefine(checkMessagingSettings);
const campusSettings = {
  CAMPUS_APP_KEY: "0A1B2C3D4E5F6071",
  CAMPUS_APP_SECRET: "00112233445566778899AABBCCDDEEFF",
  CAMPUS_SCHOOL_CODE: "1000000001",
  CAMPUS_REDIRECT_URI: "https://campus.example/return",
};

test("people are sent to the campus platform with the address that they come back to, and never with the secret", () => {
  const signIn = findCampusSignIn(schema.parse({ ...campusSettings, CAMPUS_BASE_URL: "https://campus.example/kong" }));
  const phone = new URL(signIn?.phone ?? "");
  assert.equal(phone.origin + phone.pathname, "https://campus.example/kong/connect/oauth/authorize");
  assert.deepEqual(Object.fromEntries(phone.searchParams), {
    app_key: campusSettings.CAMPUS_APP_KEY,
    response_type: "code",
    scope: "snsapi_base",
    ocode: campusSettings.CAMPUS_SCHOOL_CODE,
    redirect_uri: campusSettings.CAMPUS_REDIRECT_URI,
  });
  const desk = new URL(signIn?.desk ?? "");
  assert.equal(desk.pathname, "/kong/connect/oauth/pc-authorize");
  assert.equal(desk.searchParams.get("connect"), "curLogin");
});

test("a mini program signs people in by itself", () => {
  const settings = { ...campusSettings, CAMPUS_REDIRECT_URI: "mnp://wx1" };
  assert.equal(findCampusSignIn(schema.parse(settings)), null);
  assert.equal(findCampusSignIn(schema.parse({})), null);
});

test("WeChat looks up, and tells a verdict in the fields that the template has", async (t) => {
  const platform = await startWeChatStandIn();
  t.after(() => platform.close());
  const settings = schema.parse({
    ...campusSettings,
    WECHAT_APP_ID: platform.appId,
    WECHAT_SECRET: platform.secret,
    WECHAT_BASE_URL: platform.url,
    WECHAT_TEMPLATE_ID: "template-1",
    WECHAT_TEMPLATE_FIELDS: "phrase1=verdict,thing2=ps,thing5=entryName,time3=time",
    WECHAT_PAGE: "pages/report",
  });
  const messaging = createMessaging(settings);
  assert.equal(messaging?.kind, "wechat");
  assert.equal(await messaging.findPhone("phone-10012345678"), "10012345678");
  const { openId, phone } = await messaging.identify("code-a");
  assert.equal(phone, null);
  const texts = { verdict: "有效", ps: "请补充\n材料", entryName: "", time: "2026-11-20 10:00:00" };
  await messaging.sendVerdict?.({ openId, receipt: "0a1b", ...texts });
  const data = {
    phrase1: "有效",
    thing2: "请补充 材料",
    thing5: "无",
    time3: "2026年11月20日 10:00",
  };
  assert.deepEqual(platform.messages, [
    { openId, templateId: "template-1", page: "pages/report?receipt=0a1b", lang: "zh_CN", data },
  ]);
});

test("WeChat without a template sends nothing", () => {
  const settings = schema.parse({ WECHAT_APP_ID: "wx1", WECHAT_SECRET: "s" });
  assert.equal(createMessaging(settings)?.sendVerdict, undefined);
});

test("the campus platform looks up card numbers and telephones, and has no messages", async (t) => {
  const platform = await startCampusStandIn();
  t.after(() => platform.close());
  const settings = schema.parse({ ...campusSettings, CAMPUS_BASE_URL: platform.url });
  const messaging = createMessaging(settings);
  assert.equal(messaging?.kind, "campus");
  assert.deepEqual(await messaging.identify("code-7"), { openId: "7", phone: "10000000007" });
  assert.equal(await messaging.findPhone("code-8"), "10000000008");
  assert.equal(messaging.sendVerdict, undefined);
});
