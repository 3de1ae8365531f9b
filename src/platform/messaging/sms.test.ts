import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openWriters } from "#platform/notices/channels.ts";
import { readSettings } from "#quintet/settings.ts";
import { type Answer, startLoopback } from "#test/stand-ins/loopback.ts";
import { signAliyun, signTencent } from "./sms.ts";

test("signatures are those of the providers' documented examples", () => {
  const parameters = {
    AccessKeyId: "testId",
    Action: "SendSms",
    Format: "XML",
    OutId: "123",
    PhoneNumbers: "15300000001",
    RegionId: "cn-hangzhou",
    SignName: "阿里云短信测试专用",
    SignatureMethod: "HMAC-SHA1",
    SignatureNonce: "45e25e9b-0a6f-4070-8c85-2956eda1b466",
    SignatureVersion: "1.0",
    TemplateCode: "SMS_71390007",
    TemplateParam: '{"customer":"test"}',
    Timestamp: "2017-07-12T02:42:19Z",
    Version: "2017-05-25",
  };
  assert.equal(signAliyun(parameters, "testSecret"), "zJDF+Lrzhj/ThnlvIToysFRq6t4=");
  const authorization = signTencent({
    keyId: "AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE",
    keySecret: "Gu5t9xGARNpq86cd98joQYCN3EXAMPLE",
    service: "cvm",
    host: "cvm.tencentcloudapi.com",
    payload: '{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}',
    seconds: 1551113065,
  });
  const signature = "72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168";
  assert.match(
    authorization,
    new RegExp(`/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host, Signature=${signature}$`),
  );
});

const said: { answer: Answer } = { answer: { body: {} } };
const provider = await startLoopback(({ query: { Signature, ...signed } }) =>
  Signature !== undefined && signAliyun(signed, "secret-of-tests") !== Signature
    ? { body: { Code: "SignatureDoesNotMatch" } }
    : said.answer,
);
after(() => provider.close());

const write = async (name: "aliyun" | "tencent", keySecret = "secret-of-tests", phone = "13900000000") => {
  const settings = readSettings({
    SMS_PROVIDER: name,
    SMS_KEY_ID: "id",
    SMS_KEY_SECRET: keySecret,
    SMS_SIGN: "某大学",
    SMS_APP_ID: "1400000000",
    SMS_BASE_URL: provider.url,
    SMS_TEMPLATES: "library.due=SMS_1:who=name,what=title",
    OUTSIDE_TIMEOUT_MS: "1000",
  });
  const fields = { name: "王示例", title: "书 (上)*" };
  const message = { id: "1", kind: "library.due", fields, subject: "", text: "" };
  return openWriters(settings).get("sms")?.send(phone, message);
};

test("what a provider answers says whether it is sent, refused, too early, or the channel's trouble", async () => {
  const codes = [
    ["OK", "Ok", "sent"],
    ["isv.MOBILE_NUMBER_ILLEGAL", "InvalidParameterValue.IncorrectPhoneNumber", "refused"],
    ["isv.BUSINESS_LIMIT_CONTROL", "LimitExceeded.PhoneNumberDailyLimit", "later"],
    ["isv.AMOUNT_NOT_ENOUGH", "FailedOperation.InsufficientBalanceInSmsPackage", "down"],
  ] as const;
  for (const [aliyun, tencent, outcome] of codes) {
    said.answer = { body: { Code: aliyun } };
    assert.equal((await write("aliyun"))?.state, outcome, aliyun);
    said.answer = { body: { Response: { SendStatusSet: [{ Code: tencent }] } } };
    assert.equal((await write("tencent"))?.state, outcome, tencent);
  }
  said.answer = { body: { Response: { Error: { Code: "AuthFailure.SignatureFailure" } } } };
  assert.equal((await write("tencent"))?.state, "down");
  assert.deepEqual(await write("aliyun", "wrong"), { state: "down", error: "SignatureDoesNotMatch" });
  assert.equal(provider.received[0]?.query["TemplateParam"], '{"who":"王示例","what":"书 (上)*"}');
  const sent = provider.received[1]?.body as { PhoneNumberSet: string[]; TemplateParamSet: string[] } | undefined;
  assert.deepEqual([sent?.PhoneNumberSet, sent?.TemplateParamSet], [["+8613900000000"], ["王示例", "书 (上)*"]]);
});

test("a number is sent as it is dialled, however it was written", async () => {
  said.answer = { body: {} };
  provider.received.length = 0;
  for (const name of ["aliyun", "tencent"] as const) await write(name, undefined, "139-0000 (0000)");
  const [aliyun, tencent] = provider.received;
  assert.equal(aliyun?.query["PhoneNumbers"], "13900000000");
  assert.partialDeepStrictEqual(tencent?.body, { PhoneNumberSet: ["+8613900000000"] });
});

test("nobody knows what came of a call that is not answered; one that found no connection may go again", async () => {
  provider.fail("silent");
  assert.equal((await write("aliyun"))?.state, "unknown");
  provider.fail({ status: 503, body: "busy" });
  assert.equal((await write("aliyun"))?.state, "down");
  provider.fail({ status: 200, body: "<html>" });
  assert.equal((await write("aliyun"))?.state, "unknown");
});
