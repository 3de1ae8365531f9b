import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import type { RelayPlatform } from "#services/push-relay/settings.ts";
import { openRelayGround } from "#test/relay/ground.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { until } from "#test/until.ts";
import { createEngine } from "./engine.ts";
import { createRelay } from "./index.ts";

const ground = await openRelayGround({}, { start: false });
const { pool, settings } = ground;
const log = pino({ level: "silent" });

test("a relay that is for some projects leaves those of others where they are", async (t) => {
  const [own, other] = [await startReceiver(), await startReceiver()];
  t.after(() => Promise.all([own.stop(), other.stop()]));
  const mine = await ground.addProject(own.url);
  const theirs = await ground.addProject(other.url);
  const projects = new Set<number>();
  const relay = createRelay({ pool, settings, log, clock: Date.now } as unknown as RelayPlatform, projects);
  relay.start();
  for (const card of ["1", "2", "3"]) await ground.accept(card);
  relay.wake();
  projects.add(mine.id);
  await own.await(3);
  await relay.stop();
  assert.equal(other.pushes.length, 0);
  const waiting = await pool`select project_id, claim, failures from push_relay.queue order by delivery_id`;
  assert.deepEqual(
    [...waiting],
    Array.from({ length: 3 }, () => ({ project_id: theirs.id, claim: null, failures: 0 })),
  );
  await pool`update push_relay.project set deleted_at = now()`;
});

test("projects that are silent for long, deleted ones too, are forgotten until something comes", async (t) => {
  const receivers = [await startReceiver(), await startReceiver()] as const;
  t.after(() => Promise.all(receivers.map((receiver) => receiver.stop())));
  let laterMs = 0;
  const engine = createEngine({ pool, settings, log, nowMs: () => Date.now() + laterMs });
  t.after(() => engine.stop());
  await ground.addProject(receivers[0].url);
  const gone = await ground.addProject(receivers[1].url);
  engine.start();
  await ground.accept("4");
  engine.wake();
  await Promise.all(receivers.map((receiver) => receiver.await(1)));
  // Whose answer comes after the clock was put forward would count as used just then.
  await ground.drained();
  assert.equal(engine.countOutlets(), 2);
  await pool`update push_relay.project set deleted_at = now() where id = ${gone.id}`;
  engine.projectChanged(gone.id);
  laterMs = 11 * 60_000;
  engine.wake();
  await until("idle projects are forgotten", () => engine.countOutlets() === 0);
  await ground.accept("4", { event: "updateUser" });
  engine.wake();
  await receivers[0].await(2);
  assert.equal(engine.countOutlets(), 1);
});
