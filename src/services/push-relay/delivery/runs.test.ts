import assert from "node:assert/strict";
import { test } from "node:test";
import { pick } from "#test/pick.ts";
import { openRelayGround } from "#test/relay/ground.ts";
import type { Answer } from "#platform/outbound/send.ts";
import { Dispatcher } from "./dispatcher.ts";
import { claim, type Claimed, type Run, settle, type Settlement } from "./queue-store.ts";
import type { Sender } from "./sender.ts";

const ground = await openRelayGround({}, { start: false });
const { pool } = ground;
const leaseMs = 60_000;

const claimRuns = (projectId: number, run = 3, lease = leaseMs, mostInlineBytes = 1000) =>
  claim(pool, { rooms: new Map([[projectId, { lanes: 10, run }]]), otherRoom: 0, leaseMs: lease, mostInlineBytes });

const came = (claimed: Claimed, kind: Settlement["outcome"]["kind"] = "delivered"): Settlement => ({
  claimed,
  outcome: { kind, delayMs: kind === "retry" ? 60_000 : 0 },
  startedMs: Date.now(),
  durationMs: 5,
  statusCode: kind === "delivered" ? 200 : 500,
  error: kind === "delivered" ? null : "HTTP 500",
  exchange: null,
});

async function addWaiting(counts: Readonly<Record<string, number>>): Promise<number> {
  await pool`update push_relay.project set deleted_at = now() where deleted_at is null`;
  const project = await ground.addProject("http://127.0.0.1:9/");
  for (const [person, count] of Object.entries(counts))
    for (let n = 1; n <= count; n++)
      await ground.accept(person, { data: JSON.stringify({ card_number: person, project: project.id, n }) });
  return project.id;
}

const tell = (runs: readonly Run[]) =>
  runs.map((run) =>
    run.map(({ body }) => `${body?.match(/"card_number":"(\w+)"/)?.[1]}${body?.match(/"n":(\d)/)?.[1]}`),
  );

const readLane = async (projectId: number) => [
  ...(await pool`
    select head, failures, claim is not null as claimed, due_at > now() as later
    from push_relay.queue where project_id = ${projectId} order by seq`),
];

function only(runs: readonly Run[]): readonly [Claimed, Claimed, ...Claimed[]] {
  assert.equal(runs.length, 1);
  const [first, second, ...others] = runs[0] ?? [];
  return [first ?? assert.fail(), second ?? assert.fail(), ...others];
}

test("a claim brings what follows a head, in order, and nobody else gets any of it", async () => {
  const projectId = await addWaiting({ a: 5, b: 1 });
  const runs = await claimRuns(projectId);
  assert.deepEqual(tell(runs), [["a1", "a2", "a3"], ["b1"]]);
  assert.deepEqual(await claimRuns(projectId), []);
  const [first, second] = only(runs.slice(0, 1));
  await settle(pool, [came(first), came(second)]);
  assert.deepEqual(tell(await claimRuns(projectId)), [["a3", "a4", "a5"]]);
});

test("a run that ends with a failure leaves that one at the head, for as long as it has to wait", async () => {
  const projectId = await addWaiting({ c: 4 });
  const [first, second] = only(await claimRuns(projectId, 8));
  await settle(pool, [came(first), came(second, "retry")]);
  const waiting = { head: false, failures: 0, claimed: false, later: false };
  assert.deepEqual(await readLane(projectId), [{ ...waiting, head: true, failures: 1, later: true }, waiting, waiting]);
  assert.deepEqual(await claimRuns(projectId), []);
  const attempts = await pool`
    select status, attempts, status_code from push_relay.delivery where project_id = ${projectId} order by id limit 2`;
  assert.deepEqual(pick(attempts, "status", "attempts", "status_code"), ["delivered 1 200", "pending 1 500"]);
});

test("a run that ends with one given up moves the next to the head", async () => {
  const projectId = await addWaiting({ d: 3 });
  const [first, second] = only(await claimRuns(projectId, 8));
  await settle(pool, [came(first), came(second, "dead")]);
  assert.deepEqual(tell(await claimRuns(projectId)), [["d3"]]);
  const dead = await pool`
    select delivery_id from push_relay.dead join push_relay.attempt using (delivery_id) where project_id = ${projectId}`;
  assert.deepEqual([...dead], [{ delivery_id: second.deliveryId }]);
});

test("whoever has lost a head to another does not take it away from there", async () => {
  const projectId = await addWaiting({ e: 3 });
  const lost = only(await claimRuns(projectId, 2, 0));
  const own = only(await claimRuns(projectId, 2));
  assert.deepEqual(pick(own, "deliveryId"), pick(lost, "deliveryId"));
  await settle(pool, [came(lost[0])]);
  assert.deepEqual(await claimRuns(projectId), []);
  // The process that has lost the run also stores the second delivery's outcome. This is harmless, since the outcome
  // from the process that has claimed the delivery is then ignored.
  await settle(pool, [came(lost[0]), came(lost[1])]);
  await settle(
    pool,
    own.map((one) => came(one)),
  );
  assert.deepEqual(tell(await claimRuns(projectId)), [["e3"]]);
  const [{ attempts } = assert.fail()] = await pool`
    select array_agg(attempts order by id) as attempts from push_relay.delivery where project_id = ${projectId}`;
  assert.deepEqual(attempts, [1, 1, 0]);
});

test("what arrives behind the last of a run is not left without a head", async () => {
  const projectId = await addWaiting({ f: 2 });
  const run = only(await claimRuns(projectId));
  await ground.accept("f", { data: '{"card_number":"f","n":3}' });
  await settle(
    pool,
    run.map((one) => came(one)),
  );
  await ground.accept("f", { data: '{"card_number":"f","n":4}' });
  assert.deepEqual(tell(await claimRuns(projectId)), [["f3", "f4"]]);
});

interface Trial {
  readonly body?: string | null;
  readonly meanwhile?: (dispatcher: Dispatcher, sent: number) => void;
  readonly nowMs?: () => number;
}

/**
 * Pushes a run of three deliveries whose lease ends at 10,000 ms.
 * @param answers the receiver's status codes, in order
 */
async function tryRun(answers: readonly number[], given: Trial = {}): Promise<string[]> {
  const { body = "{}", meanwhile, nowMs = () => 0 } = given;
  let sent = 0;
  const { promise, resolve } = Promise.withResolvers<readonly Settlement[]>();
  const send = (): Promise<Answer> => {
    const statusCode = answers[sent++] ?? null;
    meanwhile?.(dispatcher, sent);
    return Promise.resolve({ statusCode, retryAfter: null, error: null, response: null });
  };
  const dispatcher = new Dispatcher(
    {
      concurrency: 1,
      stepsSeconds: [1],
      leastLeaseMs: 1000,
      nowMs,
      reserve: async () => 0,
      openBody: (_claimed, stored) => ({ form: "json", contentType: "application/json", body: Buffer.from(stored) }),
      loadBody: () => Promise.reject(new Error("the database is away")),
      onSettlements: resolve,
      onLow: () => undefined,
      onGone: async () => undefined,
    },
    { send, target: { url: "" } } as unknown as Sender,
  );
  const one = { deliveryId: 1, eventId: 1, publicId: "1", projectId: 1, revision: 1, failures: 0, claim: 1, body };
  dispatcher.add([one, { ...one, deliveryId: 2 }, { ...one, deliveryId: 3 }], 10_000);
  const settlements = await promise;
  const settled = settlements.map(({ claimed }) => claimed.deliveryId);
  assert.deepEqual(settled, [1, 2, 3].slice(0, settlements.length));
  return settlements.map(({ outcome }) => outcome.kind);
}

test("a run is told of together, and ends with what fails", async () => {
  assert.deepEqual(await tryRun([200, 204, 200]), ["delivered", "delivered", "delivered"]);
  assert.deepEqual(await tryRun([200, 500, 200]), ["delivered", "retry"]);
  assert.deepEqual(await tryRun([410, 200]), ["retry"]);
  assert.deepEqual(await tryRun([], { body: null }), ["back"]);
});

test("a run ends when what waits is handed back, when the process stops, and when the lease is nearly over", async () => {
  assert.deepEqual(await tryRun([200, 200], { meanwhile: (dispatcher) => dispatcher.handBack() }), ["delivered"]);
  assert.deepEqual(await tryRun([200, 200], { meanwhile: (dispatcher) => dispatcher.stop() }), ["delivered"]);
  assert.deepEqual(await tryRun([], { meanwhile: (dispatcher) => dispatcher.stop() }), ["retry"]);
  let atMs = 8990;
  const meanwhile = (_dispatcher: Dispatcher, sent: number) => void (atMs = sent === 2 ? 9001 : 8995);
  assert.deepEqual(await tryRun([200, 200, 200], { nowMs: () => atMs, meanwhile }), ["delivered", "delivered"]);
});
