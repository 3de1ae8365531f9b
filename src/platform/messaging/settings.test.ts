import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { checkMessagingSettings, messagingSettings } from "./settings.ts";

const schema = z.object(messagingSettings).superRefine(checkMessagingSettings);

function problemsOf(given: Record<string, string>): string[] {
  const result = schema.safeParse(given);
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
}

const wechat = { WECHAT_APP_ID: "wx1", WECHAT_SECRET: "s" };
const template = { WECHAT_TEMPLATE_ID: "t", WECHAT_TEMPLATE_FIELDS: "phrase1=verdict, thing2=ps" };
const campus = {
  CAMPUS_APP_KEY: "k",
  CAMPUS_APP_SECRET: "s",
  CAMPUS_SCHOOL_CODE: "1",
  CAMPUS_REDIRECT_URI: "mnp://a",
};

test("whole configurations are fine", () => {
  for (const given of [wechat, campus, { ...wechat, ...template, ...campus }]) assert.deepEqual(problemsOf(given), []);
});

const wrong: [Record<string, string>, string[]][] = [
  [{ WECHAT_APP_ID: "wx1" }, ["WECHAT_SECRET is needed beside WECHAT_APP_ID"]],
  [{ ...wechat, WECHAT_SECRET: "" }, ["WECHAT_SECRET is needed beside WECHAT_APP_ID"]],
  [{ WECHAT_SECRET: "s" }, ["WECHAT_APP_ID is needed beside WECHAT_SECRET"]],
  [{ ...wechat, WECHAT_TEMPLATE_ID: "t" }, ["WECHAT_TEMPLATE_FIELDS is needed beside WECHAT_TEMPLATE_ID"]],
  [template, ["WECHAT_APP_ID is needed beside WECHAT_TEMPLATE_ID"]],
  [
    { CAMPUS_APP_KEY: "k", CAMPUS_APP_SECRET: "s" },
    [
      "CAMPUS_SCHOOL_CODE is needed beside CAMPUS_APP_KEY, CAMPUS_APP_SECRET",
      "CAMPUS_REDIRECT_URI is needed beside CAMPUS_APP_KEY, CAMPUS_APP_SECRET",
    ],
  ],
  [
    { ...wechat, ...template, WECHAT_TEMPLATE_FIELDS: "phrase1=ps" },
    ["WECHAT_TEMPLATE_FIELDS field phrase1 cannot carry ps; fields for it are thing"],
  ],
];
for (const [given, problems] of wrong) {
  test(`${Object.keys(given).join(" ")}: ${problems[0]}`, () => assert.deepEqual(problemsOf(given), problems));
}

test("fields of the template: pairs or JSON, of known values only", () => {
  const said = (fields: string) => problemsOf({ ...wechat, ...template, WECHAT_TEMPLATE_FIELDS: fields });
  for (const fields of ["thing1=ps,time2=time,phrase3=verdict,thing4=entryName", '{"thing1":"ps"}'])
    assert.deepEqual(said(fields), []);
  for (const fields of [
    "thing1",
    "thing1=phone",
    "thing=ps",
    "=ps",
    "{",
    "{}",
    '{"thing1":1}',
    "thing1=ps,",
    "thing1=ps=ps",
  ]) {
    assert.match(said(fields).join(), /must be pairs such as/, fields);
  }
});

test("base addresses are http or https, without a query or sign-in data", () => {
  for (const address of ["http://127.0.0.1:9090", "https://school.example/kong"]) {
    assert.deepEqual(problemsOf({ CAMPUS_BASE_URL: address }), []);
  }
  for (const address of [
    "school.example",
    "ftp://school.example",
    "https://a:b@school.example",
    "https://school.example?x=1",
    "",
  ]) {
    assert.equal(problemsOf({ CAMPUS_BASE_URL: address }).length, 1, address);
  }
});
