import { type Db, type Fragment, sql } from "#platform/database/index.ts";
import type { Finding } from "#platform/process/alert.ts";

export interface Choice {
  readonly condition: string;
  readonly enabled: boolean;
  readonly threshold: number | null;
}

/** What operators have set of conditions. */
export const listChoices = async (db: Db): Promise<Choice[]> =>
  db<Choice[]>`select condition, enabled, threshold from platform.alert_condition`;

/** Sets what is given, and keeps the rest. */
export async function setChoice(
  tx: Db,
  condition: string,
  { enabled, threshold }: { readonly enabled: boolean | undefined; readonly threshold: number | undefined },
): Promise<void> {
  await tx`
    insert into platform.alert_condition as known (condition, enabled, threshold)
    values (${condition}, ${enabled ?? true}, ${threshold ?? null})
    on conflict (condition) do update set enabled = coalesce(${enabled ?? null}::boolean, known.enabled),
      threshold = coalesce(${threshold ?? null}::integer, known.threshold)`;
}

export interface Found {
  readonly condition: string;
  readonly findings: readonly Finding[];
  /** For how many minutes it must hold before it is an alert. */
  readonly holdMinutes: number;
  readonly at: Date;
  /** Left out: what was not found is over. Given: only of these. */
  readonly among?: readonly string[] | undefined;
}

/**
 * Writes down what holds at a time: what is new begins, what has held for long enough becomes an alert, and what holds no
 * more is over. What two processes find at once is one alert.
 */
export async function recordFindings(tx: Db, found: Found): Promise<void> {
  const { condition, at } = found;
  await tx`select pg_advisory_xact_lock(hashtextextended(${`alerts of ${condition}`}, 0))`;
  await insertFindings(tx, found);
  await tx`
    delete from platform.alert
    where condition = ${condition} and opened_at is null and seen_at < ${at} ${isAmong(found)}`;
  await tx`
    update platform.alert set opened_at = ${at}
    where condition = ${condition} and over_at is null and opened_at is null
      and since <= ${at}::timestamptz - make_interval(mins => ${found.holdMinutes}::integer)`;
  await endAlerts(tx, found);
}

async function insertFindings(tx: Db, { condition, findings, at }: Found): Promise<void> {
  const each = [...new Map(findings.map((one) => [one.subject, one])).values()];
  if (each.length === 0) return;
  await tx`
    insert into platform.alert as known (condition, subject, says_zh, says_en, figures, since, seen_at)
    select ${condition}, subject, zh, en, figures::jsonb, ${at}, ${at}
    from unnest(${each.map(({ subject }) => subject)}::text[], ${each.map(({ says }) => says.zh)}::text[],
      ${each.map(({ says }) => says.en)}::text[],
      ${each.map(({ figures = {} }) => JSON.stringify(figures))}::text[]) as each (subject, zh, en, figures)
    on conflict (condition, subject) where over_at is null do update set says_zh = excluded.says_zh,
      says_en = excluded.says_en, figures = excluded.figures, seen_at = greatest(known.seen_at, excluded.seen_at)`;
}

const isAmong = ({ among }: Found): Fragment =>
  among === undefined ? sql`` : sql`and subject = any(${[...among]}::text[])`;

/** Whose mute lasts hears nothing of the end either; a mute until then is over with it. */
async function endAlerts(tx: Db, found: Found): Promise<void> {
  const { condition, at } = found;
  await tx`
    with ended as (
      update platform.alert set over_at = ${at}
      where condition = ${condition} and over_at is null and seen_at < ${at} ${isAmong(found)}
      returning id, condition, subject
    ), silent as (
      update platform.alert_telling set done = true
      from ended join platform.alert_mute as mute using (condition, subject)
      where alert_telling.alert_id = ended.id and (mute.until is null or mute.until > ${at})
    )
    delete from platform.alert_mute as mute using ended
    where mute.condition = ended.condition and mute.subject = ended.subject and mute.until is null`;
}

/** Ends what is there of a condition that nobody wants to hear of any more, and tells nobody. */
export async function dropAlerts(tx: Db, condition: string, at: Date): Promise<void> {
  await tx`delete from platform.alert where condition = ${condition} and opened_at is null`;
  await tx`
    with ended as (
      update platform.alert set over_at = ${at} where condition = ${condition} and over_at is null returning id
    )
    update platform.alert_telling set done = true from ended where alert_id = ended.id`;
}

const unseenHours = 24;
const keepDays = 180;

/** Ends what nobody has looked for in a day, as of a machine that is gone, and forgets what is long over. */
export async function tidyAlerts(tx: Db, at: Date): Promise<void> {
  await tx`
    delete from platform.alert
    where opened_at is null and seen_at < ${at}::timestamptz - make_interval(hours => ${unseenHours})`;
  await tx`
    update platform.alert set over_at = ${at}
    where over_at is null and seen_at < ${at}::timestamptz - make_interval(hours => ${unseenHours})`;
  await tx`delete from platform.alert where over_at < ${at}::timestamptz - make_interval(days => ${keepDays})`;
  await tx`delete from platform.alert_mute where until < ${at}`;
}
