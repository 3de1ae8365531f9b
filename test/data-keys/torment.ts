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
  readonly kills: number;
  readonly say: (line: string) => void;
}

const cardPlace = "tuition_payment.payable.id_card";

const cardOf = (n: number): string => `99${String(n).padStart(15, "0")}X`;

/**
 * Runs the command that encrypts payables under load, kills it repeatedly, and lets the last run finish. Then every
 * card must be encrypted, decrypt to its value, and have the right blind index.
 */
export async function torment({ seed, payables, kills, say }: TormentOptions): Promise<void> {
  const text = randomBytes(32).toString("base64");
  const app = await startTestApp({ services: ["tuition-payment"], settings: { DATA_KEY: text } });
  await fill(app.pool, payables);
  const random = createRandom(seed);
  const settings = { DATABASE_URL: app.database.url, DATA_DIR: app.dataDir, DATA_KEY: text };
  const use = useMeanwhile(app, payables, random);
  const startMs = performance.now();
  for (let kill = 0; kill < kills; kill++) {
    const command = startCommand(["seal"], settings, app.dataDir);
    const until = Math.floor(((kill + 0.2 + random() * 0.6) / (kills + 1)) * payables);
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
  assert.match(last.output().err + last.output().out, /no value is left/);
  const seconds = (performance.now() - startMs) / 1000;
  const { reads, written } = await use.end();
  await judge(app, text, payables + written, seed);
  say(
    `${payables} payables sealed in ${seconds.toFixed(1)} s and ${kills} kills, beside ${reads} reads and ${written} writes`,
  );
}

const fill = (pool: Pool, payables: number): Promise<unknown> => pool`
  insert into tuition_payment.payable (student_no, id_card, student_name, grade, years, amount_fen, item_names, item_fen)
  select case when n % 10 = 0 then null else 'S' || n end, '99' || lpad(n::text, 15, '0') || 'X', '新生' || n, '2026', '2026',
    100, array['学费'], array[100]
  from generate_series(1, ${payables}) as n`;

async function awaitSealed(pool: Pool, least: number): Promise<void> {
  for (;;) {
    const [row] = await pool<[{ sealed: number }]>`
      select count(id_card_sealed) as sealed from tuition_payment.payable`;
    if (row.sealed >= least) return;
    await delay(20);
  }
}

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

const mostAtOnce = 5000;

async function judge(app: TestApp, text: string, payables: number, seed: number): Promise<void> {
  const pool = openPool(app.database.url, { connections: 1, keys: openKeyring(openDataKey(readDataKey(text))) });
  const read = (after: number) => pool<{ id: number; name: string; found: string; sealed: string }[]>`
    select id, student_name as name, id_card as found, id_card_sealed as sealed
    from tuition_payment.payable where id > ${after} order by id limit ${mostAtOnce}`;
  let met = 0;
  for (let rows = await read(0); rows.length > 0; rows = await read(rows.at(-1)?.id ?? 0)) {
    for (const { name, found, sealed } of rows) {
      const card = cardOf(Number(name.slice(2)));
      assert.equal(pool.keys.open(cardPlace, sealed), card, `SEED=${seed}`);
      assert.equal(found, pool.keys.blindIndex(cardPlace, card), `SEED=${seed}`);
    }
    met += rows.length;
  }
  await pool.end();
  assert.equal(met, payables, `SEED=${seed}: payables were lost`);
}
