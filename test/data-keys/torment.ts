import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { openPool, type Pool } from "#platform/database/index.ts";
import { openDataKey, openKeyring, readDataKey } from "#platform/sealing/keyring.ts";
import { startTestApp, type TestApp } from "#test/app.ts";
import { createRandom } from "#test/crash/random.ts";
import { startCommand } from "#test/crash/server.ts";
import { samplePayable } from "#test/tuition-payment.ts";

export interface TormentOptions {
  readonly seed: number;
  readonly payables: number;
  /** How often the command is killed before it may end. */
  readonly kills: number;
  readonly say: (line: string) => void;
}

/** Of the campus platform's events so many as a part of the payables. */
const eventShare = 1 / 4;
const eventPlace = "push_relay.subject.data";
const cardPlace = "tuition_payment.payable.id_card";
const body = '{"id":"1","data":,"receivedTime":"2026-11-22 12:00:00"}';
const dataOf = (n: number): string => `{"card_number":"E${n}","name":"测试员${n}"}`;

const cardOf = (n: number): string => `99${String(n).padStart(15, "0")}X`;

/**
 * Seals payables, and events of the push relay, while a server reads and writes payables; the command is killed again and
 * again, and begun again. In the end every card and event is sealed and opens to what it was, and a card finds its payable.
 */
export async function torment({ seed, payables, kills, say }: TormentOptions): Promise<void> {
  const text = randomBytes(32).toString("base64");
  const app = await startTestApp({ services: ["tuition-payment"], settings: { DATA_KEY: text } });
  const events = Math.floor(payables * eventShare);
  await fill(app.pool, payables, events);
  const random = createRandom(seed);
  const settings = { DATABASE_URL: app.database.url, DATA_DIR: app.dataDir, DATA_KEY: text };
  const use = useMeanwhile(app, payables, random);
  const startMs = performance.now();
  for (let kill = 0; kill < kills; kill++) {
    const command = startCommand(["seal"], settings, app.dataDir);
    const until = Math.floor(((kill + 0.2 + random() * 0.6) / (kills + 1)) * (payables + events));
    const ended = command.ended.then(() =>
      assert.fail(`SEED=${seed}: it ended before it was killed: ${command.output().err}`),
    );
    await Promise.race([awaitSealed(app.pool, until), ended]);
    command.child.kill("SIGKILL");
    ended.catch(() => undefined);
    await command.ended;
  }
  const last = startCommand(["seal"], settings, app.dataDir);
  const { code } = await last.ended;
  assert.equal(code, 0, `SEED=${seed}: ${last.output().err}`);
  assert.match(last.output().err + last.output().out, /nothing is left/);
  const seconds = (performance.now() - startMs) / 1000;
  const { reads, written } = await use.end();
  await judge(app, text, { payables: payables + written, events }, seed);
  say(
    `${payables} payables and ${events} events sealed in ${seconds.toFixed(1)} s and ${kills} kills, beside ${reads} reads and ${written} writes`,
  );
}

async function fill(pool: Pool, payables: number, events: number): Promise<void> {
  await pool`
    insert into push_relay.event (public_id, event, subject_id, subject, body, data)
    select gen_random_uuid(), 'addUser', n, n, ${body}, replace(${dataOf(0)}, '0', n::text)
    from generate_series(1, ${events}) as n`;
  await pool`
    insert into tuition_payment.payable (student_no, id_card, student_name, grade, years, amount_fen, item_names, item_fen)
    select case when n % 10 = 0 then null else 'S' || n end, '99' || lpad(n::text, 15, '0') || 'X', '新生' || n, '2026', '2026',
      100, array['学费'], array[100]
    from generate_series(1, ${payables}) as n`;
}

async function awaitSealed(pool: Pool, least: number): Promise<void> {
  for (;;) {
    const [row] = await pool<[{ sealed: number }]>`
      select (select count(id_card_sealed) from tuition_payment.payable)
        + (select count(*) from push_relay.event where data like 'sealed:%') as sealed`;
    if (row.sealed >= least) return;
    await delay(20);
  }
}

/** Reads by card and by number, and writes new payables, until it is ended. */
function useMeanwhile(app: TestApp, payables: number, random: () => number) {
  const ending = new AbortController();
  let [reads, written] = [0, 0];
  const run = async (): Promise<void> => {
    const { token } = await app.signIn("tuition-payment");
    const save = async (change: object) => {
      const body = samplePayable({ ...change });
      return (await app.call("POST", "/tuitionpayment/payableinfo/save", { token, body })).json.code;
    };
    while (!ending.signal.aborted) {
      const n = 1 + Math.floor(random() * payables);
      const { json } = await app.call("GET", "/tuitionpayment/payableinfo/payableInfo", {
        headers: { card_number: cardOf(n) },
      });
      assert.equal(json.data?.studentName, `新生${n}`, cardOf(n));
      reads++;
      assert.equal(await save({ studentNo: null, idCard: cardOf(n) }), "10004");
      const next = payables + written + 1;
      const studentNo = next % 10 === 0 ? null : `S${next}`;
      assert.equal(await save({ studentNo, idCard: cardOf(next), studentName: `新生${next}` }), "0");
      written++;
    }
  };
  const running = run();
  return {
    async end() {
      ending.abort();
      await running;
      return { reads, written };
    },
  };
}

interface Expected {
  readonly payables: number;
  readonly events: number;
}

async function judge(app: TestApp, text: string, { payables, events }: Expected, seed: number): Promise<void> {
  const keys = openKeyring(openDataKey(readDataKey(text)));
  const pool = openPool(app.database.url, { connections: 1, keys });
  try {
    assert.equal(await countPayables(pool, seed), payables, `SEED=${seed}: payables were lost`);
    assert.equal(await countEvents(pool, seed), events, `SEED=${seed}: events were lost`);
  } finally {
    await pool.end();
  }
}

const mostAtOnce = 5000;

/** How many rows there are, each of which is judged. */
async function countJudged<Row extends { readonly id: number }>(
  read: (after: number) => Promise<Row[]>,
  judge: (row: Row) => void,
): Promise<number> {
  let met = 0;
  for (let rows = await read(0); rows.length > 0; rows = await read(rows.at(-1)?.id ?? 0)) {
    for (const row of rows) judge(row);
    met += rows.length;
  }
  return met;
}

/** Each with its card sealed and found by it. */
const countPayables = (pool: Pool, seed: number): Promise<number> =>
  countJudged(
    (after) => pool<{ id: number; name: string; found: string; sealed: string }[]>`
      select id, student_name as name, id_card as found, id_card_sealed as sealed
      from tuition_payment.payable where id > ${after} order by id limit ${mostAtOnce}`,
    ({ name, found, sealed }) => {
      const card = cardOf(Number(name.slice(2)));
      assert.equal(pool.keys.open(cardPlace, sealed), card, `SEED=${seed}`);
      assert.equal(found, pool.keys.find(cardPlace, card), `SEED=${seed}`);
    },
  );

/** Each with its data sealed. */
const countEvents = (pool: Pool, seed: number): Promise<number> =>
  countJudged(
    (after) => pool<{ id: number; n: number; data: string }[]>`
      select id, subject_id as n, data from push_relay.event where id > ${after} order by id limit ${mostAtOnce}`,
    ({ n, data }) => assert.equal(pool.keys.open(eventPlace, data), dataOf(n), `SEED=${seed}`),
  );
