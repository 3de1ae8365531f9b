import assert from "node:assert/strict";
import { test } from "node:test";
import { writeAudit } from "#platform/accounts/audit.ts";
import { foldAuditTally } from "#platform/accounts/operators/audit-store.ts";
import { startTestApp, testPassword } from "#test/app.ts";

const app = await startTestApp({ services: ["reporting"] });
const { pool } = app;
const clerk = await app.signIn("reporting");
const count = async () => (await pool`select count(*) as lines from platform.audit`)[0]?.["lines"];

test("lines can be added, and neither changed nor removed; the tally goes on", async () => {
  await writeAudit(pool, { service: "reporting", userName: "x", action: "y", outcome: "done", address: "local" });
  const before = await count();
  assert.ok(before > 0);
  for (const statement of [
    "delete from platform.audit",
    "delete from platform.audit where false",
    "update platform.audit set user_name = 'somebody else'",
    "truncate platform.audit",
    "set session_replication_role = replica; delete from platform.audit",
  ])
    await assert.rejects(pool.script(statement), { code: "42501" }, statement);
  assert.equal(await count(), before);
  await foldAuditTally(pool);
  const [tally] = await pool`select sum(lines)::int as lines from platform.audit_tally where step = 'month'`;
  assert.equal(tally?.["lines"], before);
});

test("a refusal that cannot be written down is still the answer, and is logged", async (context) => {
  await pool.script("alter table platform.audit rename to audit_away");
  context.after(() => pool.script("alter table platform.audit_away rename to audit"));
  const logged = () => app.logged.filter(({ msg }) => msg === "a refusal is missing in the audit log").length;
  const login = (password: string) =>
    app.call("POST", "/reporting/user/login", { body: { userName: clerk.userName, password } });
  const refusals = [
    () => app.call("GET", "/platform/audit", { token: clerk.token }),
    () => app.call("PUT", "/reporting/user/update", { token: clerk.token, body: { id: 1 } }),
    () =>
      app.call("PUT", "/reporting/user/updatePassword", {
        token: clerk.token,
        body: { id: 1, password: "x", newPassword: "x" },
      }),
    () => login("wrong-horse"),
    () =>
      app.call("PUT", "/reporting/user/updatePassword", {
        token: clerk.token,
        body: { id: clerk.id, password: "x", newPassword: "x" },
      }),
  ];
  const answers = [];
  for (const refuse of refusals) answers.push((await refuse()).json.code);
  assert.deepEqual(answers, ["10008", "10008", "10008", "10009", "10007"]);
  assert.equal(logged(), refusals.length);
  // What is allowed is another matter: without its line it does not happen.
  assert.equal((await login(testPassword)).json.code, "10000");
});
