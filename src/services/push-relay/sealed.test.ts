import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { Webhook } from "standardwebhooks";
import type { Pool } from "#platform/database/index.ts";
import { replayDeliveries } from "./delivery/index.ts";
import { wholeSelection } from "./selection-contract.ts";
import { noKeys, openDataKey, openKeyring } from "#platform/sealing/keyring.ts";
import { pick } from "#test/pick.ts";
import { openRelayGround } from "#test/relay/ground.ts";
import { startReceiver } from "#test/relay/receiver.ts";

const [one, two] = [openDataKey(randomBytes(32)), openDataKey(randomBytes(32))];
const keys = openKeyring(two, [one]);
const ground = await openRelayGround({}, { start: false, keys });
const { pool, relay } = ground;
const handles: readonly Pool[] = [ground.openWith(noKeys), ground.openWith(openKeyring(one)), pool];
const telephone = "555 0199 0042";

const dataOf = (card: string, n: number, more = ""): string =>
  `{ "card_number":"${card}","n":${n},"name":"陈小明","long":12345678901234567890,"telephone":"${telephone}","note":"\\"data\\":sealed:${more}" }`;

const listen = async () => {
  const receiver = await startReceiver();
  after(() => receiver.stop());
  return { receiver, project: await ground.addProject(receiver.url) };
};

const retire = () => pool`update push_relay.project set deleted_at = now() where deleted_at is null`;
const readStored = async (): Promise<string> =>
  JSON.stringify([
    await pool`select * from push_relay.event`,
    await pool`select * from push_relay.subject`,
    await pool`select * from push_relay.exchange`,
  ]);

async function composeAll(dataOfId: ReadonlyMap<string, string>): Promise<unknown[]> {
  const rows = await pool`
    select push_relay.compose(public_id, event, school_code, given.data, received_at, ${ground.settings.TIME_ZONE}) as body
    from unnest(${[...dataOfId.keys()]}::uuid[], ${[...dataOfId.values()]}::text[]) with ordinality as given (id, data, place)
    join push_relay.event on public_id = given.id join push_relay.subject on subject.id = subject_id order by place`;
  return pick(rows, "body");
}

test("whoever stored them, events go out byte for byte as without a key, signed", async () => {
  const { receiver, project } = await listen();
  const told: string[] = [];
  for (let n = 0; n < 9; n++)
    for (const card of ["a", "b"]) {
      // Every third body is too large to be loaded with the claim.
      const data = dataOf(card, n, n % 3 === 1 ? "长".repeat(8000) : "");
      told.push(data);
      assert.ok(await ground.accept(card, { data }, handles[n % 3]));
    }
  const stored = await readStored();
  relay.start();
  assert.equal(stored.match(/sealed:A256GCM:[0-9a-f]{8}:/g)?.length, 14, "two thirds of the events, and both subjects");
  await receiver.await(18);
  await ground.drained();
  const toldOf = ({ card_number, n }: { card_number: string; n: number }) =>
    told.find((text) => text.startsWith(`{ "card_number":"${card_number}","n":${n},`)) ?? "";
  const dataOfId = new Map(receiver.pushes.map(({ json }) => [json.id, toldOf(json.data)]));
  assert.deepEqual(pick(receiver.pushes, "body"), await composeAll(dataOfId));
  for (const push of receiver.pushes)
    new Webhook(project.secret).verify(push.body, push.headers as Record<string, string>);
  await retire();
});

test("an event that was changed in the database is not sent, says why, and the next one of the person goes on", async () => {
  const { receiver, project } = await listen();
  await pool`update push_relay.project set paused = true where id = ${project.id}`;
  for (const n of [1, 2]) assert.ok(await ground.accept("c", { data: dataOf("c", n) }));
  await pool`update push_relay.event set data = overlay(data placing 'AAAA' from 40) where id = (select min(id) from push_relay.event where subject = 'c')`;
  await pool`update push_relay.project set paused = false where id = ${project.id}`;
  relay.wake();
  await receiver.await(1);
  assert.deepEqual(
    receiver.pushes.map(({ json }) => json.data.n),
    [2],
  );
  const [row] = await pool`
    select status, attempts, delivery.error from push_relay.delivery join push_relay.event on event.id = event_id
    where subject = 'c' order by delivery.id limit 1`;
  assert.deepEqual(row, {
    status: "dead",
    attempts: 4,
    error: "an encrypted value of push_relay.subject.data was modified or moved",
  });
  await pool`delete from push_relay.event where id = (select min(id) from push_relay.event where subject = 'c')`;
  await retire();
});

test("one that cannot be opened does not keep others from being replayed", async () => {
  const { receiver, project } = await listen();
  await pool`update push_relay.project set paused = true where id = ${project.id}`;
  for (const n of [1, 2]) assert.ok(await ground.accept("d", { data: dataOf("d", n) }));
  await pool`update push_relay.event set data = overlay(data placing 'AAAA' from 40) where id = (select min(id) from push_relay.event where subject = 'd')`;
  const selection = JSON.stringify({ ...wholeSelection, fields: { addUser: ["n"], updateUser: ["n"] } });
  await pool`update push_relay.project set paused = false, selection = ${selection}::jsonb where id = ${project.id}`;
  assert.equal(await replayDeliveries(pool, { projectId: project.id, since: new Date(0) }), 2);
  relay.wake();
  await receiver.await(1);
  assert.deepEqual(receiver.pushes[0]?.json.data, { card_number: "d", n: 2 });
  await retire();
});
