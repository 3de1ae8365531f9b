import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { until } from "#test/until.ts";
import { latestDeliveries } from "./project-health.ts";

const settings = { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32", PUSH_POLL_MS: "20", PUSH_RETRY_SECONDS: "3600" };
const app = await startTestApp({ services: ["push-relay"], settings });
const { token } = await app.signIn("push-relay");
const campus = await registerCampus(app, { token });

const addProject = async (url: string): Promise<number> => {
  const { json } = await app.call("POST", "/wx/push/addPushProject", { token, body: { url } });
  return Number(json.data);
};
const healthOf = async (projectId: number) => {
  const { json } = await app.call("GET", "/wx/push/project/health", { token });
  assert.equal(json.code, "0", json.message);
  return json.data.find((one: { projectId: number }) => one.projectId === projectId);
};
const untilHealth = (projectId: number, question: (figures: { delivered: number; failed: number }) => boolean) =>
  until("the project's health is as it should be", async () => {
    const health = await healthOf(projectId);
    return question(health) && health;
  });

test("each project with its attempts, how long answers take and what waits", async (context) => {
  const receiver = await startReceiver(({ json }) => (json.data.card_number === "bad" ? 500 : 200));
  context.after(() => receiver.stop());
  const [served, quiet] = [await addProject(receiver.url), await addProject("http://waiting.invalid/")];
  await app.call("PUT", "/wx/push/project/pause", { token, query: { id: quiet } });
  for (const card_number of ["good", "better", "bad"]) await campus.tell("addUser", { card_number, name: "测试" });
  const health = await untilHealth(served, ({ delivered, failed }) => delivered === 2 && failed === 1);
  assert.equal(typeof health.medianMs, "number");
  const last = health.slices.at(-1);
  assert.deepEqual([last.delivered, last.failed, last.pending], [2, 1, 1]);
  assert.equal(health.slices.at(-2).pending, 0);
  const waiting = await healthOf(quiet);
  const { delivered, failed, medianMs, slices } = waiting;
  assert.deepEqual([delivered, failed, medianMs, slices.at(-1).pending], [0, 0, null, 3]);

  // A delivery that succeeds again after a replay counts as two successes.
  const { json } = await app.call("GET", "/wx/push/delivery/page", { token, query: { status: "delivered" } });
  await app.call("POST", "/wx/push/delivery/replay", { token, body: { ids: [json.data.list[0].id] } });
  await untilHealth(served, ({ delivered, failed }) => delivered === 3 && failed === 1);

  await app.call("DELETE", "/wx/push/deletePushProject", { token, query: { id: quiet } });
  assert.equal(await healthOf(quiet), undefined);
});

test("of a busy project the latest deliveries are enough, and the span begins with them", async () => {
  const id = await addProject("http://busy.invalid/");
  await app.pool`
    with told as (
      insert into push_relay.event (public_id, event, subject_id, subject, body)
      select gen_random_uuid(), 'updateUser', 1, '', '{}' from generate_series(1, ${latestDeliveries + 100}) returning id)
    insert into push_relay.delivery
      (event_id, project_id, status, attempts, attempted_at, status_code, duration_ms, created_at, delivered_at)
    select id, ${id}, 'delivered', 1, at, 200, 7, at, at
    from (select id, now() - row_number() over (order by id desc) * interval '1 minute' as at from told) as placed
    order by id`;
  const { delivered, since, medianMs } = await healthOf(id);
  assert.deepEqual([delivered, medianMs], [latestDeliveries, 7]);
  const [{ minutes }] = await app.pool<[{ minutes: number }]>`
    select round(extract(epoch from now() - ${since}::timestamp at time zone 'Asia/Shanghai') / 60)::int as minutes`;
  assert.ok(Math.abs(minutes - latestDeliveries) <= 1, `${minutes}`);
});
