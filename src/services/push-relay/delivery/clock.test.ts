import assert from "node:assert/strict";
import { test } from "node:test";
import { openRelayGround } from "#test/relay/ground.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { longestWaits } from "./claiming.ts";
import { bringForward } from "./queue-store.ts";

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

test("what waits for its next try goes on waiting", async () => {
  const ground = await openRelayGround({}, { start: false });
  await ground.addProject("http://127.0.0.1:9/");
  await ground.accept("a");
  await ground.accept("b");
  const readWaits = () => ground.pool`
    select round(extract(epoch from due_at - now()) / 10) * 10 as due, claim, leased_until > now() as leased
    from push_relay.queue order by delivery_id`;
  await ground.pool`
    update push_relay.queue set due_at = now() + interval '1 min', failures = 1, claim = 7, leased_until = now() + interval '30 s'`;
  const before = await readWaits();
  assert.equal(await bringForward(ground.pool, longestWaits(ground.settings)), 0);
  assert.deepEqual(await readWaits(), before);
});
