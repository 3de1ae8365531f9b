import assert from "node:assert/strict";
import type { Pool } from "#platform/database/index.ts";
import { type Attendance, type ImportName, importPaths } from "#test/attendance/calls.ts";
import { makeSpecimens, mutate, openRandom, type Random, type Specimen } from "#test/attendance/mutations.ts";
import { makeMonth } from "#test/attendance/workbooks.ts";

export interface PostRequest {
  readonly attendance: Attendance;
  /** The database of the app that the workbooks are sent to. */
  readonly pool: Pool;
  readonly seed: number;
  readonly rounds?: number;
  readonly forMs?: number;
  /** No answer may take longer. */
  readonly limitMs?: number;
}

export interface PostResult {
  readonly taken: number;
  readonly refused: number;
  readonly slowestMs: number;
}

// Of so many some are taken and some refused, however slow the machine is.
const leastRounds = 20;

const targets = Object.keys(importPaths) as ImportName[];

/**
 * Sends mutated workbooks to a running app, and looks after each whether every month is wholly what it was, or has
 * wholly become what was sent. Round n of seed s is round 0 of seed s + n.
 * @throws an error that names the seed.
 */
export async function postWorkbooks(request: PostRequest): Promise<PostResult> {
  const { pool, seed, rounds = Number.MAX_SAFE_INTEGER, forMs = 3_600_000, limitMs = 10_000 } = request;
  const specimens = await makeSpecimens();
  await sendOldMonth(request.attendance);
  const result = { taken: 0, refused: 0, slowestMs: 0 };
  const endsAt = performance.now() + forMs;
  let before = await readMonths(pool);
  for (let round = 0; round < rounds && (round < leastRounds || performance.now() < endsAt); round++) {
    const begun = performance.now();
    const sent = await post(request.attendance, specimens, openRandom(seed + round));
    result.slowestMs = Math.max(result.slowestMs, performance.now() - begun);
    const now = await readMonths(pool);
    try {
      assert.ok(performance.now() - begun < limitMs, `an answer took over ${limitMs} ms`);
      assert.ok(sent.status < 500, `HTTP ${sent.status}: ${sent.code}`);
      checkMonths(before, now, sent);
    } catch (error) {
      throw new Error(`seed ${seed + round}: ${error instanceof Error ? error.message : ""}`, { cause: error });
    }
    result[sent.rows === null ? "refused" : "taken"]++;
    before = now;
  }
  return result;
}

async function sendOldMonth({ send }: Attendance): Promise<void> {
  const made = makeMonth({ month: "2026-05", people: 6, seed: 2, generation: 2026 });
  await send("month", [made.monthSheet, made.dailySheet]);
  await send("original", [made.originalSheet]);
  await send("work", [made.identitySheet]);
}

interface Sent {
  readonly to: ImportName;
  readonly status: number;
  readonly code: string;
  /** The month and how many rows it has been given; null where the workbook was refused. */
  readonly month: string;
  readonly rows: number | null;
}

async function post({ sendBytes }: Attendance, specimens: readonly Specimen[], random: Random): Promise<Sent> {
  const specimen = specimens[random(specimens.length)];
  const to = targets[random(targets.length)];
  assert.ok(specimen && to);
  const bytes = mutate(specimen, random);
  const fields = random(2) === 0 ? {} : { month: "2026-05" };
  const { status, json } = await sendBytes(to, specimen.entries.length === 0 ? "x.csv" : "x.xlsx", bytes, fields);
  return { to, status, code: json.code, month: json.data?.month ?? "", rows: json.data?.rows ?? null };
}

/** The imports that give a sheet's days of a month, `2026-05 original` for instance, with the rows that are there of each. */
type Months = ReadonlyMap<string, readonly { readonly import: number; readonly rows: number; readonly told: number }[]>;

async function readMonths(pool: Pool): Promise<Months> {
  const rows = await pool<{ place: string; import: number; told: number; rows: number }[]>`
    with stored as (
      select import_id from attendance.punch union all select import_id from attendance.employee
      union all select import_id from attendance.daily union all select import_id from attendance.identity),
    named as (
      select month, import_id from attendance.span union select month, work_import from attendance.month where work_import is not null)
    select named.month || ' ' || sheet as place, import.id as import, import.rows as told,
      (select count(*) from stored where import_id = import.id) as rows
    from named join attendance.import on import.id = import_id order by import.id`;
  return Map.groupBy(rows, ({ place }) => place);
}

function checkMonths(before: Months, now: Months, { to, month, rows }: Sent): void {
  const changed = rows === null ? undefined : `${month} ${to}`;
  assert.deepEqual(
    [...now].filter(([place]) => place !== changed),
    [...before].filter(([place]) => place !== changed),
    "what was not sent has changed",
  );
  if (changed === undefined) return;
  const found = now.get(changed)?.at(-1);
  assert.ok(found && found.import !== before.get(changed)?.at(-1)?.import, `${changed} has not taken what was sent`);
  assert.deepEqual([found.rows, found.told], [rows, rows], `${changed} has not all the rows`);
}
