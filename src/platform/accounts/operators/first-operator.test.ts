import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, beforeEach, test } from "node:test";
import { pino } from "pino";
import { signIn as login } from "#platform/accounts/login.ts";
import { getTokenHolder } from "#platform/accounts/session.ts";
import { Problem } from "#platform/contract/problem.ts";
import { openPool } from "#platform/database/index.ts";
import { serviceNames } from "#quintet/app.ts";
import { readSettings } from "#quintet/settings.ts";
import { createTestDatabase } from "#test/database.ts";
import { createOperator, ensureFirstOperator, setOperatorPassword } from "./first-operator.ts";

const { pool, url } = await createTestDatabase();
const root = await mkdtemp(path.join(tmpdir(), "quintet-test-"));
after(() => rm(root, { recursive: true, force: true }));

beforeEach(async () => {
  await pool`delete from platform.account`;
  await pool`delete from platform.login_failure`;
});

const ensure = (given: Partial<Parameters<typeof ensureFirstOperator>[0]> & { dataDir: string }) =>
  ensureFirstOperator({ pool, settings: { OPERATOR_PASSWORD: undefined }, isTerminal: false, ...given });
const makeDataDir = () => mkdtemp(path.join(root, "data-"));
const isProblem = (problem: string) => (error: unknown) => error instanceof Problem && error.problem === problem;
const countAccounts = async () => (await pool`select 1 from platform.account`).length;
const signIn = (userName: string, password: string) =>
  login({ pool, log: pino({ level: "silent" }), settings: readSettings({}) }, "platform", {
    body: { userName, password },
    address: "203.0.113.7",
    userAgent: "test",
    reply: { header: () => undefined },
  });

async function assertAudit(user_name: string, action: string, userName: string): Promise<void> {
  const [row] =
    await pool`select user_name, action, outcome, detail, address from platform.audit where action <> 'login' order by id desc limit 1`;
  assert.deepEqual({ ...row }, { user_name, action, outcome: "done", detail: { userName }, address: "local" });
}

test("without a terminal the password is written for the owner's eyes only, and opens the account", async () => {
  const dataDir = await makeDataDir();
  const made = await ensure({ dataDir });
  assert.ok(made.kind === "written");
  assert.equal(made.file, path.join(dataDir, "operator-password"));
  assert.equal((await stat(made.file)).mode & 0o777, 0o600);
  const password = (await readFile(made.file, "utf8")).trim();
  const { account } = await signIn("operator", password);
  assert.deepEqual([account.isSuper, account.services, account.enabled], [true, null, true]);
  await assertAudit("first start", "createOperator", "operator");
});

test("on a terminal the password is returned and written nowhere", async () => {
  const dataDir = await makeDataDir();
  const made = await ensure({ dataDir, isTerminal: true });
  assert.ok(made.kind === "show");
  assert.deepEqual(await readdir(dataDir), []);
  await signIn("operator", made.password);
});

test("OPERATOR_PASSWORD is taken, at the first start only", async () => {
  const dataDir = await makeDataDir();
  const start = (password: string) => ensure({ dataDir, settings: { OPERATOR_PASSWORD: password } });
  assert.deepEqual(await start("first-horse-21"), { kind: "given", userName: "operator" });
  assert.deepEqual(await start("other-horse-22"), { kind: "existed" });
  assert.deepEqual(await readdir(dataDir), []);
  await signIn("operator", "first-horse-21");
  await assert.rejects(signIn("operator", "other-horse-22"), isProblem("loginFailed"));
});

test("of processes that start together one makes the operator, and its password is the one written", async () => {
  const dataDir = await makeDataDir();
  const pools = Array.from({ length: 6 }, () => openPool(url, { connections: 2 }));
  const outcomes = await Promise.all(pools.map((each) => ensure({ dataDir, pool: each })));
  await Promise.all(pools.map((each) => each.end()));
  const others = Array<string>(5).fill("existed");
  assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), [...others, "written"]);
  assert.equal(await countAccounts(), 1);
  await signIn("operator", (await readFile(path.join(dataDir, "operator-password"), "utf8")).trim());
});

test("a password that cannot be written makes no account, and overwrites nothing", async () => {
  const taken = await makeDataDir();
  await writeFile(path.join(taken, "operator-password"), "older");
  const blocked = await makeDataDir();
  await mkdir(path.join(blocked, "operator-password"));
  for (const dataDir of [taken, blocked, path.join(root, "missing")]) {
    await assert.rejects(ensure({ dataDir }), (error: Error) => {
      assert.match(error.message, /operator-password/);
      assert.ok(!error.message.includes(root));
      return true;
    });
    assert.equal(await countAccounts(), 0);
  }
  assert.equal(await readFile(path.join(taken, "operator-password"), "utf8"), "older");
});

test("an account that cannot be made leaves no file", async () => {
  const dataDir = await makeDataDir();
  await pool`
    create function refuse_at_commit() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`;
  await pool`create constraint trigger refuse after insert on platform.account deferrable initially deferred for each row execute function refuse_at_commit()`;
  await assert.rejects(ensure({ dataDir }), /not now/);
  await pool`drop function refuse_at_commit() cascade`;
  assert.deepEqual(await readdir(dataDir), []);
});

test("the command line makes operators, under names that mean one person", async () => {
  const password = "a-good-password";
  const given = { userName: "second", password, name: "二号", services: ["attendance"] };
  const id = await createOperator(pool, serviceNames, given);
  const [row] = await pool`select id, name, super, services from platform.account where user_name = 'second'`;
  assert.deepEqual({ ...row }, { id, name: "二号", super: true, services: ["attendance"] });
  await assertAudit("command line", "createOperator", "second");
  await pool`insert into platform.account (service, user_name, name_key) values ('reporting', 'clerk', 'clerk')`;
  for (const [wrong, problem] of [
    [{ userName: "second" }, "alreadyExists"],
    [{ userName: "clerk" }, "alreadyExists"],
    [{ userName: " " }, "badFormat"],
    [{ password: "short" }, "badFormat"],
    [{ password: "" }, "badFormat"],
    [{ services: ["library"] }, "badFormat"],
  ] as const)
    await assert.rejects(
      createOperator(pool, serviceNames, { userName: "third", password, ...wrong }),
      isProblem(problem),
    );
});

test("a password set on the command line ends every session of the operator and nobody else's", async () => {
  const password = "a-good-password";
  for (const userName of ["second", "third"]) await createOperator(pool, serviceNames, { userName, password });
  const sessions = await Promise.all(["second", "second", "third"].map((name) => signIn(name, password)));
  await setOperatorPassword(pool, { userName: "second", password: "another-pass-phrase" });
  const [one, another, third] = await Promise.allSettled(
    sessions.map(({ token }) => getTokenHolder(pool, token, readSettings({}))),
  );
  assert.deepEqual([one?.status, another?.status], ["rejected", "rejected"]);
  assert.equal(third?.status === "fulfilled" && third.value.userName, "third");
  await assertAudit("command line", "setOperatorPassword", "second");
  await signIn("second", "another-pass-phrase");
  const set = (userName: string, next: string) => setOperatorPassword(pool, { userName, password: next });
  await assert.rejects(set("nobody", "another-pass-phrase"), isProblem("notFound"));
  await assert.rejects(set("second", "short"), isProblem("badFormat"));
});
