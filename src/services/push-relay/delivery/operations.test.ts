import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "#platform/database/index.ts";
import { judge } from "#platform/process/condition.ts";
import { relayConditions } from "#services/push-relay/conditions.ts";
import { pick } from "#test/pick.ts";
import { openRelayGround } from "#test/relay/ground.ts";
import { type Behaviour, type Push, startReceiver } from "#test/relay/receiver.ts";
import { isFlagged } from "./index.ts";
import { tidyRelay } from "./retention-store.ts";

const ground = await openRelayGround();
const { pool, relay, settings } = ground;

async function addReceiver(behaviour?: Behaviour) {
  const receiver = await startReceiver(behaviour);
  after(() => receiver.stop());
  const project = await ground.addProject(receiver.url);
  return {
    receiver,
    project,
    retire: () => pool`update push_relay.project set deleted_at = now() where id = ${project.id}`,
  };
}

const findProject = async (id: number) =>
  (await pool`select statu, last_success_at, last_error, failing_since from push_relay.project where id = ${id}`)[0] ??
  assert.fail();

const numbersOf = (pushes: readonly Push[], identity: string): number[] =>
  pushes.filter(({ json }) => json.data.card_number === identity).map(({ json }) => json.data.n);

test("events about one subject arrive one at a time and in order; one that retries holds its own only", async () => {
  let failures = 2;
  const perSubject = new Map<string, number>();
  const { receiver, retire } = await addReceiver(async ({ json }) => {
    const { card_number: who } = json.data;
    const now = (perSubject.get(who) ?? 0) + 1;
    perSubject.set(who, now);
    assert.equal(now, 1, `${who} has ${now} at once`);
    await new Promise(setImmediate);
    perSubject.set(who, 0);
    return who === "slow" && failures-- > 0 ? 500 : 200;
  });
  for (let n = 1; n <= 20; n++)
    for (const identity of ["slow", "a", "b"])
      await ground.accept(identity, { data: JSON.stringify({ card_number: identity, n }) });
  await ground.drained();
  const expected = Array.from({ length: 20 }, (_, index) => index + 1);
  assert.deepEqual(numbersOf(receiver.pushes, "a"), expected);
  assert.deepEqual(numbersOf(receiver.pushes, "b"), expected);
  assert.deepEqual(numbersOf(receiver.pushes, "slow"), [1, 1, ...expected]);
  await retire();
});

test("410 makes the project invalid; what it has waits, and goes out when it is valid again", async () => {
  const { receiver, project, retire } = await addReceiver(() => 410);
  await ground.accept("g", { data: '{"card_number":"g","n":1}' });
  await ground.until(async () => (await findProject(project.id))["statu"] === 1);
  await ground.accept("g", { data: '{"card_number":"g","n":2}' });
  assert.equal(receiver.pushes.length, 1);
  receiver.behave(() => 200);
  await pool`update push_relay.project set statu = 0 where id = ${project.id}`;
  relay.projectChanged(project.id);
  await ground.drained();
  const sent = receiver.pushes.map(({ json }) => json.data.n);
  assert.deepEqual(sent, [1, 1]);
  await retire();
});

test("nine healthy projects do not wait for one that never answers", async () => {
  const hanging = await addReceiver(() => {});
  const healthy = await Promise.all(Array.from({ length: 3 }, () => addReceiver()));
  for (let n = 0; n < 60; n++) await ground.accept(`person ${n}`);
  await Promise.all(healthy.map(({ receiver }) => receiver.await(60)));
  assert.ok(hanging.receiver.most() <= settings.PUSH_CONCURRENCY);
  await Promise.all([hanging, ...healthy].map(({ retire }) => retire()));
  relay.projectChanged(hanging.project.id);
});

test("what a dead process has claimed is pushed by another once the lease is over", async () => {
  const { receiver, project, retire } = await addReceiver();
  await pool`update push_relay.project set paused = true where id = ${project.id}`;
  await ground.accept("l");
  const leaseMs = 300;
  await pool`
    update push_relay.queue set claim = 1, leased_until = now() + ${leaseMs} * interval '1 millisecond'
    where project_id = ${project.id}`;
  await pool`update push_relay.project set paused = false where id = ${project.id}`;
  const startedMs = Date.now();
  relay.projectChanged(project.id);
  await receiver.await(1);
  assert.ok((receiver.pushes[0]?.arrivedMs ?? 0) - startedMs >= leaseMs - 50, "taken before the lease was over");
  await ground.drained();
  await retire();
});

test("how a project goes is noted: the last success, the last error, and since when it fails", async () => {
  const { receiver, project, retire } = await addReceiver(() => 503);
  await ground.accept("n");
  await ground.until(async () => (await findProject(project.id))["last_error"] === "HTTP 503");
  const { failing_since } = await findProject(project.id);
  assert.ok(failing_since instanceof Date);
  const day = 86_400_000;
  const flagAt = failing_since.getTime() + settings.PUSH_FLAG_DAYS * day;
  const flags = [flagAt - 1, flagAt + 1].map((nowMs) => isFlagged(failing_since, settings, nowMs));
  assert.deepEqual(flags, [false, true]);
  receiver.behave(() => 200);
  await ground.drained();
  await ground.accept("n");
  await ground.until(async () => (await findProject(project.id))["failing_since"] === null);
  assert.ok((await findProject(project.id))["last_success_at"] instanceof Date);
  await retire();
});

test("old deliveries go, with their events; younger, waiting and dead ones stay for their time", async () => {
  const { project, retire } = await addReceiver();
  await ground.accept("old");
  await ground.drained();
  await pool`update push_relay.project set paused = true where id = ${project.id}`;
  for (const identity of ["waits", "died", "long-dead"]) await ground.accept(identity);
  const daysAgo = (days: number) => sql`now() - ${days} * interval '1 day'`;
  await pool`update push_relay.event set received_at = ${daysAgo(400)}`;
  await pool`update push_relay.delivery set created_at = ${daysAgo(400)}, delivered_at = case when delivered_at is not null then ${daysAgo(31)} end where project_id = ${project.id}`;
  for (const [identity, days] of [
    ["died", 179],
    ["long-dead", 181],
  ] as const) {
    const found = sql`select delivery.id from push_relay.delivery join push_relay.event on event.id = event_id
      where subject = ${identity} and project_id = ${project.id}`;
    await pool`insert into push_relay.dead select id, ${project.id}, ${daysAgo(days)} from (${found}) as found`;
    await pool`delete from push_relay.queue where delivery_id in (${found})`;
    await pool`update push_relay.delivery set status = 'dead' where id in (${found})`;
  }
  await tidyRelay(pool, settings);
  const left = await pool`
    select subject from push_relay.delivery join push_relay.event on event.id = event_id
    where project_id = ${project.id} order by 1`;
  assert.deepEqual(pick(left, "subject"), ["died", "waits"]);
  const events =
    await pool`select subject from push_relay.event where subject in ('old', 'long-dead', 'died', 'waits')`;
  assert.equal(events.length, 2);
  await retire();
  await tidyRelay(pool, settings);
  const [waiting] = await pool`
    select status, error from push_relay.delivery join push_relay.event on event.id = event_id where subject = 'waits'`;
  assert.deepEqual({ ...waiting }, { status: "dead", error: "the project was deleted" });
  assert.equal((await pool`select from push_relay.queue`).length, 0);
});

test("health tells what waits, what was given up, and whether it runs", async () => {
  const { project, retire } = await addReceiver();
  await pool`update push_relay.project set paused = true where id = ${project.id}`;
  await ground.accept("h");
  const readHealth = async () => judge(await relay.health(), relayConditions);
  const { name, state, figures } = await readHealth();
  assert.deepEqual([name, state, figures["running"], figures["pending"]], ["relay", "ok", true, 1]);
  await pool`update push_relay.project set failing_since = now() - interval '4 days' where id = ${project.id}`;
  assert.equal((await readHealth()).state, "ok", "nobody expects a paused project to succeed");
  await pool`update push_relay.project set paused = false, pull = true where id = ${project.id}`;
  assert.equal((await readHealth()).state, "degraded");
  await retire();
  await tidyRelay(pool, settings);
});

test("a stop lets what is under way finish and hands the rest back, unrepeated", async () => {
  const { receiver, project } = await addReceiver(() => delay(100, 200));
  // The project is paused while the events are stored, since on a busy machine they might otherwise be delivered faster
  // than stored.
  await pool`update push_relay.project set paused = true where id = ${project.id}`;
  for (let n = 0; n < 60; n++) await ground.accept(`stop ${n}`);
  await pool`update push_relay.project set paused = false where id = ${project.id}`;
  relay.wake();
  await receiver.await(1);
  await relay.stop();
  assert.equal((await relay.health()).figures["running"], false);
  const [row] = await pool<{ held: number; waiting: number; attempted: number }[]>`
    select count(*) filter (where claim is not null) as held, count(*) as waiting,
      count(*) filter (where attempts > 0) as attempted
    from push_relay.queue join push_relay.delivery on delivery.id = delivery_id`;
  assert.deepEqual([row?.held, row?.attempted], [0, 0]);
  assert.equal(receiver.pushes.length + (row?.waiting ?? 0), 60);
  assert.ok((row?.waiting ?? 0) > 0);
});
