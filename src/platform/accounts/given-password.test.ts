import assert from "node:assert/strict";
import { constants, createPublicKey, publicEncrypt } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { createOperator, setOperatorPassword } from "#platform/accounts/operators/index.ts";
import { contracts } from "#quintet/app.ts";
import { type CallOptions, type SignedIn, startTestApp, type TestApp, testPassword } from "#test/app.ts";
import { hashPassword } from "./password.ts";

const app = await startTestApp({ services: ["reporting"] });
const started = (settings: Record<string, string>) => startTestApp({ services: ["reporting"], settings, beside: app });
const { pool } = app;
const root = await app.signIn("platform");
const chief = await app.signIn("reporting", { isSuper: true });

const given = "given-by-another-1";
const chosen = "chosen-by-oneself-1";
const reporting = { login: "/reporting/user/login", change: "/reporting/user/updatePassword" };
const platform = { login: "/platform/login", change: "/platform/updatePassword" };
type Place = typeof platform;

interface Person {
  readonly id: number;
  readonly userName: string;
  readonly at: Place;
}

const ask = async (on: TestApp, method: string, url: string, options: CallOptions = {}) =>
  (await on.call(method, url, options)).json;
const codeOf = async (...of: Parameters<typeof ask>): Promise<string> => (await ask(...of)).code;

const { data: keyText } = await ask(app, "GET", "/platform/publicKey");
const key = createPublicKey({ key: Buffer.from(keyText, "base64"), format: "der", type: "spki" });
const encrypt = (text: string): string =>
  publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }, Buffer.from(text)).toString(
    "base64",
  );

let names = 0;
async function add(at: Place, { token }: SignedIn, url: string): Promise<Person> {
  const userName = `person-${++names}`;
  const { data } = await ask(app, "POST", url, { token, body: { userName, name: "员工", password: given } });
  return { id: Number(data), userName, at };
}
const addClerk = () => add(reporting, chief, "/reporting/user/add");
const addOperator = () => add(platform, root, "/platform/operator/save");

interface LogIn {
  readonly on?: TestApp;
  readonly password?: string;
  readonly later?: boolean;
}
async function logIn(
  { userName, at }: Person,
  { on = app, password = given, later = true }: LogIn = {},
): Promise<string> {
  const body = { userName, password, ...(later && { secondFactor: "later" }) };
  const { code, data } = await ask(on, "POST", at.login, { body });
  return data?.token ?? code;
}
const change = ({ id, at }: Person, token: string, next: string, { on = app, old = given } = {}) =>
  ask(on, "PUT", at.change, { token, body: { id, password: encrypt(old), newPassword: encrypt(next) } });
const mustChoose = async (token: string, on = app): Promise<boolean | undefined> =>
  (await ask(on, "GET", "/platform/session/own", { token })).data?.mustChoosePassword;
const isAsked = async (person: Person, password: string) => mustChoose(await logIn(person, { password }));

describe("a session of the console that a given password has opened", () => {
  test("reaches nothing, of documents or of ours, but what leads to another password", async () => {
    const token = await logIn(await addOperator());
    const own = ["logout", "updatePassword", "readOwnSession", "readOwnFactors"];
    const open = new Set([...own, "showCode", "beginShowPasskey", "showPasskey"]);
    const served = contracts.filter((contract) => ["platform", "reporting"].includes(contract.name));
    const refused = served
      .flatMap(({ endpoints }) => Object.entries(endpoints))
      .filter(([name, { access }]) => access.who !== "anyone" && access.who !== "guest" && !open.has(name));
    assert.ok(refused.length > 40);
    for (const [name, { method, url }] of refused)
      assert.equal(await codeOf(app, method, url.replace(/:\w+/, "1"), { token }), "20013", name);
    assert.equal((await app.call("GET", "/metrics", { token })).status, 403);
    for (const url of ["/platform/session/own", "/platform/factor/own"])
      assert.equal(await codeOf(app, "GET", url, { token }), "0", url);
    assert.equal(await codeOf(app, "POST", "/platform/logout", { token }), "0");
    assert.equal(await mustChoose(token), undefined);
  });

  test("chooses another, not the same again; all sessions end, and the new one opens everything", async () => {
    const clerk = await addClerk();
    const [token, other] = [await logIn(clerk), await logIn(clerk)];
    assert.equal(await mustChoose(token), true);
    const same = await change(clerk, token, given);
    assert.deepEqual([same.code, /不能与初始密码相同/.test(same.message)], ["10001", true]);
    assert.equal((await change(clerk, token, "password1")).code, "10001");
    assert.equal((await change(clerk, token, chosen, { old: "guessed-by-another-1" })).code, "10007");
    assert.equal((await change(clerk, token, chosen)).code, "0");
    assert.deepEqual([await mustChoose(token), await mustChoose(other)], [undefined, undefined]);
    assert.equal(await logIn(clerk), "10009");
    const opened = await logIn(clerk, { password: chosen });
    assert.equal(await mustChoose(opened), false);
    assert.equal(await codeOf(app, "GET", "/reporting/user/list", { token: opened }), "0");
  });

  test("of two that choose at once one does", async () => {
    const clerk = await addClerk();
    const tokens = [await logIn(clerk), await logIn(clerk)];
    const answers = await Promise.all(tokens.map((token, index) => change(clerk, token, `${chosen}-${index}`)));
    const codes: string[] = answers.map(({ code }) => code);
    assert.match(codes.toSorted().join(), /^0,1000[67]$/);
    const password = `${chosen}-${codes.indexOf("0")}`;
    assert.equal(await isAsked(clerk, password), false);
  });
});

test("an old front end goes on with the password that it was given", async () => {
  const clerk = await addClerk();
  const token = await logIn(clerk, { later: false });
  assert.equal(await codeOf(app, "GET", "/reporting/user/list", { token }), "0");
  assert.equal(await mustChoose(token), false);
  assert.equal((await change(clerk, token, given)).code, "0");
  assert.equal(await isAsked(clerk, given), true);
});

describe("a password is given", () => {
  test("by whoever makes an account or changes another's, of a service or of the platform", async () => {
    for (const person of [await addClerk(), await addOperator()]) {
      assert.equal(await isAsked(person, given), true);
      assert.equal((await change(person, await logIn(person), chosen)).code, "0");
      assert.equal(await isAsked(person, chosen), false);
      const [by, url] =
        person.at === reporting ? [chief, "/reporting/user/update"] : [root, "/platform/operator/update"];
      const { id, userName } = person;
      for (const given of [{ name: "员工", password: "given-once-more-1" }, { name: "别名" }]) {
        const body = { id, userName, ...given };
        assert.equal(await codeOf(app, "PUT", url, { token: by.token, body }), "0");
        assert.equal(await isAsked(person, "given-once-more-1"), true);
      }
    }
  });

  test("by the command line, of which nobody knows who types there", async () => {
    const userName = `operator-${++names}`;
    const id = await createOperator(pool, [], { userName, password: given });
    const person = { id, userName, at: platform };
    assert.equal(await isAsked(person, given), true);
    assert.equal((await change(person, await logIn(person), chosen)).code, "0");
    await setOperatorPassword(pool, { userName, password: "given-once-more-1" });
    assert.equal(await isAsked(person, "given-once-more-1"), true);
  });

  test("when one comes back to it, and not when one changes one's own in the list", async () => {
    const person = await addOperator();
    assert.equal((await change(person, await logIn(person), chosen)).code, "0");
    const update = async (password: string, next: string) => {
      const token = await logIn(person, { password });
      const body = { id: person.id, userName: person.userName, password: next };
      assert.equal(await codeOf(app, "PUT", "/platform/operator/update", { token, body }), "0");
      return isAsked(person, next);
    };
    assert.equal(await update(chosen, "chosen-once-more-1"), false);
    assert.equal(await update("chosen-once-more-1", given), true);
    assert.equal((await change(person, await logIn(person), chosen)).code, "0");
    assert.equal((await change(person, await logIn(person, { password: chosen }), given, { old: chosen })).code, "0");
    assert.equal(await isAsked(person, given), true);
  });

  test("not where it was there before anybody noted it, or where a program of before has changed it", async () => {
    const old = await app.signIn("reporting");
    assert.equal(await isAsked({ ...old, at: reporting }, testPassword), false);
    const clerk = await addClerk();
    await pool`update platform.account set password_hash = ${await hashPassword(chosen)} where id = ${clerk.id}`;
    assert.equal(await isAsked(clerk, chosen), false);
  });
});

test("the first operator replaces a random password, and keeps the one that was chosen for the first start", async () => {
  const random = await startTestApp({ services: [], settings: { OPERATOR_PASSWORD: "" } });
  const password = (await readFile(path.join(random.dataDir, "operator-password"), "utf8")).trim();
  const operator = { id: 0, userName: "operator", at: platform };
  assert.equal(await mustChoose(await logIn(operator, { on: random, password }), random), true);
  const front = await logIn(operator, { on: random, password, later: false });
  assert.equal(await codeOf(random, "GET", "/platform/operator/list", { token: front }), "0");
  assert.equal(await isAsked(operator, "operator-of-tests-1"), false);
});

describe("GIVEN_PASSWORD", () => {
  test("all: it opens nothing for a front end that can have none chosen, and that is in the audit log", async () => {
    const strict = await started({ GIVEN_PASSWORD: "all" });
    const clerk = await addClerk();
    assert.equal(await logIn(clerk, { on: strict, later: false }), "20013");
    const [line] = await pool`
      select outcome, detail from platform.audit where action = 'login' and user_name = ${clerk.userName}
      order by id desc limit 1`;
    assert.deepEqual({ ...line }, { outcome: "refused", detail: { problem: "passwordGiven" } });
    assert.equal(await logIn(clerk, { on: strict, password: "guessed-by-another-1", later: false }), "10009");
    assert.equal((await change(clerk, await logIn(clerk, { on: strict }), chosen, { on: strict })).code, "0");
    assert.match(await logIn(clerk, { on: strict, password: chosen, later: false }), /.{40}/);
  });

  test("keep: nobody is asked; turned on again, sessions of the console that are open already are", async () => {
    const lenient = await started({ GIVEN_PASSWORD: "keep" });
    const clerk = await addClerk();
    const token = await logIn(clerk, { on: lenient });
    assert.equal(await mustChoose(token, lenient), false);
    assert.equal(await codeOf(lenient, "GET", "/reporting/user/list", { token }), "0");
    assert.equal((await change(clerk, token, given, { on: lenient })).code, "0");
    const again = await logIn(clerk, { on: lenient });
    assert.equal(await codeOf(app, "GET", "/reporting/user/list", { token: again }), "20013");
  });

  test("where a second factor is asked for everywhere, the password is chosen before the first one is set up", async () => {
    const strict = await started({ SECOND_FACTOR: "all" });
    const clerk = await addClerk();
    const token = await logIn(clerk, { on: strict });
    const begin = { token, body: { name: "phone" } };
    assert.equal(await codeOf(strict, "POST", "/platform/factor/totp/begin", begin), "20013");
    assert.equal((await change(clerk, token, chosen, { on: strict })).code, "0");
    const next = await logIn(clerk, { on: strict, password: chosen });
    assert.equal((await change(clerk, next, given, { on: strict, old: chosen })).code, "20011");
    assert.equal(await codeOf(strict, "POST", "/platform/factor/totp/begin", { ...begin, token: next }), "0");
  });

  test("whoever has a second factor shows it first where it is asked for everywhere", async () => {
    const strict = await started({ SECOND_FACTOR: "all" });
    const clerk = await addClerk();
    await pool`
      insert into platform.factor (account_id, kind, name, seed, confirmed_at)
      values (${clerk.id}, 'totp', 'phone', '\\x00', now())`;
    const token = await logIn(clerk, { on: strict });
    assert.equal((await change(clerk, token, chosen, { on: strict })).code, "20011");
    await pool`update platform.session set factor_at = now() where account_id = ${clerk.id}`;
    assert.equal(await codeOf(strict, "GET", "/reporting/user/list", { token }), "20013");
    assert.equal((await change(clerk, token, chosen, { on: strict })).code, "0");
  });
});
