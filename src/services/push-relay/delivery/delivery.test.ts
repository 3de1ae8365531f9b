import assert from "node:assert/strict";
import { after, test } from "node:test";
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
