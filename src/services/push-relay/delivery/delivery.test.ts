import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { openRelayGround } from "#test/relay/ground.ts";
import { type Behaviour, type Push, startReceiver } from "#test/relay/receiver.ts";

const ground = await openRelayGround();
const { pool, relay } = ground;

async function addReceiver(behaviour?: Behaviour) {
  const receiver = await startReceiver(behaviour);
  after(() => receiver.stop());
  return { receiver, project: await ground.addProject(receiver.url) };
}

/** Takes a project out, so that the next test's events do not go there. */
const retire = (id: number) => pool`update push_relay.project set deleted_at = now() where id = ${id}`;

const numbersOf = (pushes: readonly Push[], identity: string): number[] =>
  pushes.filter(({ json }) => json.data.card_number === identity).map(({ json }) => json.data.n);

test("an event goes to every valid project, signed so that the public library agrees", async () => {
  const [one, two] = [await addReceiver(), await addReceiver()];
  const data = '{"card_number":"07302590","name":"陈小明","unknown":12345678901234567890,"n":1}';
  await ground.accept("07302590", { data });
  await Promise.all([one.receiver.await(1), two.receiver.await(1)]);
  for (const { receiver, project } of [one, two]) {
    const [push] = receiver.pushes;
    assert.ok(push);
    const verified = new Webhook(project.secret).verify(push.body, push.headers as Record<string, string>);
    assert.deepEqual(Object.keys(verified as object), ["id", "event", "school_code", "data", "receivedTime"]);
    assert.equal(push.headers["webhook-id"], push.json.id);
    assert.equal(push.headers["content-type"], "application/json");
    assert.match(push.json.receivedTime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.ok(push.body.includes(`"data":${data}`), "the object is not what came");
    assert.throws(() =>
      new Webhook(two.project.secret === project.secret ? one.project.secret : "whsec_AAAA").verify(
        push.body,
        push.headers as Record<string, string>,
      ),
    );
  }
  await ground.drained();
  await retire(one.project.id);
  await retire(two.project.id);
});

test("events about one subject arrive one at a time and in order; one that retries holds its own only", async () => {
  let failures = 2;
  const perSubject = new Map<string, number>();
  const { receiver, project } = await addReceiver(async ({ json }) => {
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
  await retire(project.id);
});

test("after the last step it is dead, its subject's next one goes on, and a replay is the same push again", async () => {
  const { receiver, project } = await addReceiver(({ json }) => (json.data.n === 1 ? 500 : 200));
  await ground.accept("p", { data: '{"card_number":"p","n":1}' });
  await ground.accept("p", { data: '{"card_number":"p","n":2}' });
  await ground.drained();
  assert.deepEqual(numbersOf(receiver.pushes, "p"), [1, 1, 1, 1, 2]);
  const rows = await pool`
    select status, attempts, status_code, error from push_relay.delivery where project_id = ${project.id} order by id`;
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { status: "dead", attempts: 4, status_code: 500, error: "HTTP 500" },
      { status: "delivered", attempts: 1, status_code: 200, error: null },
    ],
  );
  await retire(project.id);
});

test("the engine stops with nothing in hand", async () => {
  await relay.stop();
  const held = await pool`select from push_relay.queue where claim is not null`;
  assert.equal(held.length, 0);
});
