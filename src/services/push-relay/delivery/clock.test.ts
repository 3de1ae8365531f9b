import assert from "node:assert/strict";
import { test } from "node:test";
import { openRelayGround } from "#test/relay/ground.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { reservePace } from "./queue-store.ts";

test("what a clock that was a day ahead has put off is due once the clock is right", async (context) => {
  const ground = await openRelayGround({}, { start: false });
  const receiver = await startReceiver();
  context.after(() => receiver.stop());
  await ground.addProject(receiver.url);
  await ground.accept("a");
  await ground.accept("a");
  await ground.accept("b");
  await ground.pool`
    update push_relay.queue set due_at = due_at + interval '1 day', queued_at = queued_at + interval '1 day',
      claim = 1, leased_until = now() + interval '1 day'`;
  ground.relay.start();
  await receiver.await(3);
  await ground.drained();
});

test("a rate that was reserved by a clock that was ahead holds nothing up for more than twenty seconds", async () => {
  const { pool } = await openRelayGround({}, { start: false });
  await pool`insert into push_relay.pace (project_id, next_at) values (1, now() + interval '1 day')`;
  const waits = [await reservePace(pool, 1, 250), await reservePace(pool, 1, 250)];
  assert.ok(
    waits.every((ms) => ms > 0 && ms < 20_000),
    waits.join(),
  );
});
