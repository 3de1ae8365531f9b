import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { sealAll } from "#platform/data-keys/sealing.ts";
import { openPool } from "#platform/database/index.ts";
import { openDataKey, openKeyring, readDataKey } from "#platform/sealing/keyring.ts";
import { sealedColumns } from "#quintet/app.ts";
import { showPerson } from "#quintet/persons.ts";
import { startTestApp, type TestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { identitySheet, makeMonth } from "#test/attendance/workbooks.ts";

const [keyOne, keyTwo] = [1, 2].map(() => randomBytes(32).toString("base64")) as [string, string];
const read = (text: string) => openDataKey(readDataKey(text));
const plain = await startTestApp({ services: ["attendance"] });
const { database } = plain;
const { token } = await plain.signIn("platform");
const month = "2026-05";
const made = makeMonth({ month, people: 6, seed: 3, generation: 2026 });

const long = (letter: string): string => letter.repeat(60);
const sealedLook = `sealed:A256GCM:0a1b2c3d:${long("A")}`;
const typed = [`sealed:plain:${long("x")}`, `sealed:"quoted\\${long("y")}`, sealedLook];
const cards = made.identityLines.map(({ idCard }, index) => typed[index] ?? idCard);
const sheet = (given: readonly string[]) =>
  identitySheet(made.identityLines.map((line, index) => ({ ...line, idCard: given[index] ?? "" })));

interface Row {
  readonly userId: string;
  readonly idCard: string;
}
const open = (app: TestApp) => openAttendance(app, token);
const download = async (app: TestApp): Promise<string> => (await (await open(app)).get("downLoad", { month })).text;
const cardsOf = (text: string): string[] => {
  const byUser = new Map((JSON.parse(text).data as Row[]).map(({ userId, idCard }) => [userId, idCard]));
  return made.employees.map(({ userId }) => byUser.get(userId) ?? "");
};
const readVersion = async (app: TestApp, id: string) =>
  (await app.call("GET", `/attendance/month/versions/${id}`, { token })).text;
const changed = async (app: TestApp, version: string): Promise<Row[]> =>
  (await (await open(app)).get("compare", { month, version, changed: "true" })).json.data;

const dump = async (): Promise<string> =>
  JSON.stringify([
    await database.pool`select id_card from attendance.identity order by import_id, row`,
    await database.pool`select id_card, data::text from attendance.result order by row`,
    await database.pool`select id_card, data::text from attendance.version_row order by version_id, row`,
  ]);
const openWith = (...keys: Parameters<typeof openKeyring>) => {
  const pool = openPool(database.url, { connections: 2, keys: openKeyring(...keys) });
  database.closers.push(() => pool.end());
  return pool;
};
const seal = (...keys: Parameters<typeof openKeyring>) => sealAll(openWith(...keys), sealedColumns, { say() {} });
const saysNoCard = async () => {
  const stored = await dump();
  for (const card of cards) assert.ok(!stored.includes(JSON.stringify(JSON.stringify(card)).slice(3, -3)), card);
};

let before = "";
let version = "";

test("without a key cards stand as they were typed, those too that look as if they were sealed", async () => {
  const { send, analyse, put } = await open(plain);
  await send("month", [made.monthSheet]);
  await send("original", [made.originalSheet]);
  assert.equal((await send("work", [sheet(cards)])).json.code, "0");
  await analyse(month);
  before = await download(plain);
  assert.deepEqual(cardsOf(before), cards);
  const locked = await put("lock", { month, note: "x" });
  assert.equal(locked.json.code, "0", locked.text);
  version = locked.json.data;
  await put("unlock", { month, reason: "x" });
  assert.ok((await dump()).includes(cards[4] ?? "?"));
});

test("with a key what is not sealed yet goes out beside what is, in rows, versions, workbooks and comparisons", async () => {
  await plain.server.stop();
  const app = await startTestApp({ services: ["attendance"], settings: { DATA_KEY: keyOne }, beside: plain });
  const { send, analyse, get } = await open(app);
  assert.equal(await download(app), before);
  await send("work", [sheet(cards)]);
  await analyse(month);
  const [row] = await database.pool`select id_card as card from attendance.result limit 1`;
  assert.match(row?.["card"], new RegExp(`^sealed:A256GCM:${read(keyOne).id}:`));
  assert.equal(await download(app), before);
  assert.deepEqual(await changed(app, version), []);
  const { left } = await seal(read(keyOne));
  assert.equal(left, 0);
  await saysNoCard();
  assert.equal(await download(app), before);
  assert.deepEqual(cardsOf(await readVersion(app, version)), cards);
  const book = await app.call("GET", "/attendance/month/downLoad", { token, query: { month, format: "xlsx" } });
  assert.equal(book.status, 200);
  const { row: explained } = (await get("explain", { month, userId: made.employees[4]?.userId })).json.data;
  assert.equal(explained.idCard, cards[4]);
  const others = cards.with(5, "110101199003070000");
  await send("work", [sheet(others)]);
  await analyse(month);
  assert.deepEqual(
    (await changed(app, version)).map(({ userId }) => userId),
    [made.employees[5]?.userId],
  );
  await send("work", [sheet(cards)]);
  await analyse(month);
  const answer = await fetch(`${app.url}/attendance/month/downLoad?month=${month}&format=xlsx`, {
    headers: { admin_token: token },
  });
  const cells: unknown[] = [];
  for await (const { values } of streamXlsxRows(new Uint8Array(await answer.arrayBuffer()))) cells.push(...values);
  for (const card of cards) assert.ok(cells.includes(card), card);
  await app.server.stop();
});

test("of a person every row is found by the card, sealed or not, and a card that was changed is shown as it lies there", async () => {
  const pool = openWith(read(keyOne));
  const found = (await showPerson(pool, { card: cards[4]?.toLowerCase() }))["attendance"] ?? {};
  assert.deepEqual(Object.keys(found), ["result", "locked row", "identity"]);
  assert.partialDeepStrictEqual(found, { result: [{ data: { idCard: cards[4] } }] });
  assert.deepEqual(await showPerson(pool, { card: "sealed:plain:nobody" }), {});
  const byUser = await showPerson(pool, { user: made.employees[4]?.userId });
  assert.equal(byUser["attendance"]?.["result"]?.length, 1);
});

test("another key takes over, also over what a killed command left, and without keys everything lies there as before", async () => {
  const both = [read(keyTwo), [read(keyOne)]] as const;
  assert.equal((await seal(...both)).left, 0);
  assert.ok(!(await dump()).includes(read(keyOne).id));
  await saysNoCard();
  assert.deepEqual(await seal(...both), { changed: 0, left: 0 });
  assert.equal((await seal(undefined, [read(keyTwo)])).left, 0);
  const app = await startTestApp({ services: ["attendance"], beside: plain });
  assert.equal(await download(app), before);
  assert.deepEqual(cardsOf(await readVersion(app, version)), cards);
  assert.ok((await dump()).includes(cards[4] ?? "?"));
  assert.doesNotMatch(await dump(), new RegExp(`sealed:A256GCM:(?:${read(keyOne).id}|${read(keyTwo).id})`));
});
