import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import type { Body } from "#test/disease-command.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown, query = {}) =>
  (await app.call(method, `/disease-command/emergencyTeam${path}`, { token, body, query })).json;
const count = async () => (await call("GET", "/statistics")).data;
const saveTeam = async (teamName: string) => Number((await call("POST", "/save", { teamName })).data);
const saveMember = async (teamId: number, name: string) => call("POST", "/member/save", { teamId, name });

test("teams and members are counted", async () => {
  assert.deepEqual(await count(), { teamCount: 0, peopleCount: 0 });
  const [first, second] = [await saveTeam("一队"), await saveTeam("二队")];
  for (const name of ["甲", "乙"]) await saveMember(first, name);
  await saveMember(second, "丙");
  assert.deepEqual(await count(), { teamCount: 2, peopleCount: 3 });
  const members = async (query: object) =>
    (await call("GET", "/member/list", undefined, query)).data.list.map(({ name }: Body) => name);
  assert.deepEqual(await members({ teamId: first }), ["乙", "甲"]);
  assert.deepEqual(await members({}), ["丙", "乙", "甲"]);
  assert.deepEqual(await members({ teamId: 987_654 }), []);
  assert.equal((await call("GET", "/member/list", undefined, { teamId: "x" })).code, "10001");
});

test("a member is of a team that exists, and goes with it", async () => {
  const team = await saveTeam("三队");
  const { data: member } = await saveMember(team, "丁");
  assert.equal((await saveMember(987_654, "戊")).code, "10005");
  assert.equal((await call("PUT", "/member/update", { id: Number(member), teamId: 987_654 })).code, "10005");
  const before = await count();
  assert.equal((await call("DELETE", "/delete", [team])).data, "1");
  assert.deepEqual(await count(), { teamCount: before.teamCount - 1, peopleCount: before.peopleCount - 1 });
  assert.equal((await call("DELETE", "/member/delete", [Number(member)])).code, "10005");
});

test("a member that is added while the team goes is not left behind", async () => {
  const team = await saveTeam("四队");
  const answers = await Promise.all([
    call("DELETE", "/delete", [team]),
    ...Array.from({ length: 6 }, (_, n) => saveMember(team, `己${n}`)),
  ]);
  assert.equal(answers[0].code, "0");
  assert.ok(answers.every(({ code }) => ["0", "10005"].includes(code)));
  const [row] =
    await app.pool`select count(*) as left from disease_command.emergency_team_member where team_id = ${team}`;
  assert.equal(row?.["left"], 0);
});
