import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, test } from "node:test";
import { SettingsError } from "#platform/contract/setting-types.ts";
import { checkServices } from "#quintet/app.ts";
import { readSettings } from "#quintet/settings.ts";
import { makeCertificate, makeSigningCertificate } from "#test/certificate.ts";
import { problemsOf } from "#test/setting-problems.ts";
import { openSimulatedBooks } from "#test/stand-ins/simulated-books.ts";
import { createGateways, findSimulatedScope } from "./configured.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const privatePem = privateKey.export({ type: "pkcs8", format: "pem" });
const publicPem = publicKey.export({ type: "spki", format: "pem" });
const publicHex = publicKey.export({ type: "spki", format: "der" }).toString("hex");
const { cert } = await makeSigningCertificate("1A2B3C");

const groups = {
  ccb: {
    PAY_CCB_MERCHANT_ID: "105320148140002",
    PAY_CCB_POS_ID: "100001135",
    PAY_CCB_BRANCH_ID: "322000000",
    PAY_CCB_PUBLIC_KEY: publicHex,
    PAY_CCB_CLIENT_URL: "http://10.1.2.3:12345",
    PAY_CCB_USER: "QUINTET-001",
    PAY_CCB_PASSWORD: "a password",
  },
  abc: { PAY_ABC_MERCHANT_ID: "103882200000958", PAY_ABC_PRIVATE_KEY: privatePem, PAY_ABC_CERTIFICATE: cert },
  wechat: {
    PAY_WECHAT_MCH_ID: "1900000109",
    PAY_WECHAT_APP_ID: "wxd678efh567hjc7ae",
    PAY_WECHAT_API_KEY: "0123456789abcdefghijklmnopqrstuv",
    PAY_WECHAT_PRIVATE_KEY: privatePem,
    PAY_WECHAT_SERIAL: "4A5B6C7D8E9F0A1B2C3D",
  },
  alipay: {
    PAY_ALIPAY_APP_ID: "2021005199606982",
    PAY_ALIPAY_SELLER_ID: "2088331578818800",
    PAY_ALIPAY_PRIVATE_KEY: privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
    PAY_ALIPAY_PUBLIC_KEY: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  },
  "wechat's public key": { PAY_WECHAT_PUBLIC_KEY: publicPem, PAY_WECHAT_PUBLIC_KEY_ID: "PUB_KEY_ID_0119" },
} as const;

const whole = {
  PUBLIC_URL: "https://pay.example.edu",
  ...groups.ccb,
  ...groups.abc,
  ...groups.wechat,
  ...groups.alipay,
  ...groups["wechat's public key"],
};

const tools = { clock: Date.now, simulatedBooks: openSimulatedBooks(), toSimulatedPage: (orderNo: string) => orderNo };

describe("the settings of payment gateways", () => {
  test("are taken together, and left out together", () => {
    assert.deepEqual(problemsOf(whole), []);
    assert.deepEqual(problemsOf({}), []);
    for (const group of [groups.ccb, groups.abc, groups.wechat, groups.alipay])
      assert.deepEqual(problemsOf({ ...group, PUBLIC_URL: "https://pay.example.edu" }), []);
  });

  for (const [title, group] of Object.entries(groups))
    for (const name of Object.keys(group))
      test(`${title} without ${name} stops the start, naming it`, () => {
        const problems = problemsOf({ ...whole, [name]: "" });
        assert.ok(
          problems.some((problem) => problem.startsWith(`${name}: is required with PAY_`)),
          problems.join("\n"),
        );
      });

  test("without PUBLIC_URL stop the start: no notice would find its way", () => {
    assert.deepEqual(problemsOf({ ...whole, PUBLIC_URL: "" }), ["PUBLIC_URL: is required with PAY_CCB_MERCHANT_ID"]);
  });

  const ellipticPem = makeCertificate("localhost").key;
  const wrong: readonly (readonly [string, string])[] = [
    ["PAY_WECHAT_API_KEY", "31-bytes-31-bytes-31-bytes-31-b"],
    ["PAY_WECHAT_PRIVATE_KEY", "no key at all"],
    ["PAY_WECHAT_PRIVATE_KEY", publicPem],
    ["PAY_WECHAT_PRIVATE_KEY", ellipticPem],
    ["PAY_WECHAT_PUBLIC_KEY", privatePem],
    ["PAY_WECHAT_PUBLIC_KEY_ID", "0119"],
    ["PAY_WECHAT_SERIAL", "not hexadecimal"],
    ["PAY_ABC_PRIVATE_KEY", privatePem.slice(0, 900)],
    ["PAY_ABC_CERTIFICATE", "bm8gY2VydGlmaWNhdGU="],
    ["PAY_ABC_CERTIFICATE", makeCertificate("localhost").cert],
    ["PAY_CCB_PUBLIC_KEY", publicHex.slice(2)],
    ["PAY_CCB_PUBLIC_KEY", publicPem],
    ["PAY_CCB_POS_ID", "12"],
    ["PAY_CCB_CLIENT_URL", "ftp://10.1.2.3"],
    ["PAY_ALIPAY_PRIVATE_KEY", "bm8ga2V5"],
    ["PAY_ALIPAY_PUBLIC_KEY", privatePem],
    ["PAY_ALIPAY_SELLER_ID", "1088331578818800"],
    ["PAY_WECHAT_KINDS", "jsapi,app"],
    ["PAY_WECHAT_APP_SECRET", "a secret that is none"],
    ["PAY_ABC_LEGACY_TLS", "yes"],
    ["PAY_SIMULATED", "yes"],
  ];
  for (const [name, value] of wrong)
    test(`${name} that is ${value.slice(0, 24).replaceAll("\n", " ")} stops the start, and is not repeated`, () => {
      const problems = problemsOf({ ...whole, [name]: value });
      assert.deepEqual(
        problems.map((problem) => problem.split(":")[0]),
        [name],
      );
      assert.ok(!problems.join("").includes(value));
    });

  test("may have Alipay's key as PEM, or in the older form of its tool", () => {
    for (const key of [privatePem, privateKey.export({ type: "pkcs1", format: "der" }).toString("base64")])
      assert.deepEqual(problemsOf({ ...whole, PAY_ALIPAY_PRIVATE_KEY: key, PAY_ALIPAY_PUBLIC_KEY: publicPem }), []);
  });

  test("say which products of WeChat Pay there are: all of them, until somebody names some", () => {
    const kindsOf = (given: Record<string, string>) =>
      createGateways(readSettings({ ...whole, ...given }), tools).all.get("wechat")?.kinds;
    assert.deepEqual(kindsOf({}), ["jsapi", "h5", "native"]);
    assert.deepEqual(kindsOf({ PAY_WECHAT_KINDS: "native, jsapi" }), ["native", "jsapi"]);
    assert.deepEqual(problemsOf({ PUBLIC_URL: whole.PUBLIC_URL, PAY_WECHAT_APP_SECRET: "0".repeat(32) }), [
      "PAY_WECHAT_MCH_ID: is required with PAY_WECHAT_APP_SECRET",
    ]);
  });

  test("may have keys on one line", () => {
    const onOneLine = (pem: string) => pem.replaceAll("\n", "\\n");
    const PAY_ABC_CERTIFICATE = cert.replaceAll(/-----[^-]+-----|\n/g, "");
    assert.deepEqual(problemsOf({ ...whole, PAY_WECHAT_PRIVATE_KEY: onOneLine(privatePem), PAY_ABC_CERTIFICATE }), []);
  });
});

const namesOf = (environment: Record<string, string>) => [
  ...createGateways(readSettings(environment), tools).all.keys(),
];

test("with nothing set there is the gateway that pretends, alone, for this machine alone", () => {
  assert.deepEqual(namesOf({}), ["simulated"]);
  assert.equal(findSimulatedScope(readSettings({})), "machine");
});

test("it is not where others come, nor with a database of one's own", () => {
  for (const environment of [{ HOST: "0.0.0.0" }, { DATABASE_URL: "postgres://127.0.0.1/quintet" }])
    assert.deepEqual(namesOf(environment), []);
});

test("PAY_SIMULATED=1 has it everywhere, and in production stops the start, naming itself", () => {
  assert.deepEqual(namesOf({ HOST: "0.0.0.0", PAY_SIMULATED: "1" }), ["simulated"]);
  const production = { NODE_ENV: "production", STUDENT_IDENTITY: "header" };
  assert.deepEqual(namesOf(production), []);
  assert.doesNotThrow(() => checkServices(readSettings(production), ["tuition-payment"]));
  const simulated = readSettings({ ...production, PAY_SIMULATED: "1" });
  assert.deepEqual(createGateways(simulated, tools).simulated, undefined);
  assert.throws(
    () => checkServices(simulated, ["tuition-payment"]),
    (error: unknown) => error instanceof SettingsError && error.message.startsWith("PAY_SIMULATED: "),
  );
});
