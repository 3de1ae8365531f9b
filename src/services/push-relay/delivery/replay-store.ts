import { type Db, inTransaction, type Pool, sql } from "#platform/database/index.ts";
import type { CampusEvent } from "#services/push-relay/campus-contract.ts";
import { dataOf, isDecrypted, saysLeft } from "#services/push-relay/forms.ts";
import { openData, openEvent } from "#services/push-relay/sealed.ts";
import { openSource } from "#services/push-relay/selection.ts";
import { type Selection, wholeSelection } from "#services/push-relay/selection-contract.ts";
import { findRequest, findSelection, toStored } from "#services/push-relay/selection-store.ts";

export type ReplaySelection =
  | { readonly ids: readonly number[] }
  | { readonly projectId: number; readonly since: Date; readonly until?: Date }
  | { readonly projectId: number; readonly status: "dead" };

// Replays and backfills lock their subjects, which blocks new events about the subjects, so both use small
// transactions. If a replay or backfill is interrupted, its committed transactions remain, and it may be started again.
const mostAtOnce = 500;

/**
 * Sends deliveries again with the same event id. Skips those of deleted projects and those that the project's present
 * selection excludes.
 * @returns the number of deliveries
 */
export async function replayDeliveries(pool: Pool, selection: ReplaySelection): Promise<number> {
  // Deliveries that are stored during the replay are not replayed.
  const last = await pool.value<number | null>`select max(id) from push_relay.delivery`;
  let count = 0;
  for (let after = 0; ;) {
    const ids = await pool.values<number>`
      select id from (${choose(selection)}) as chosen
      where id > ${after} and id <= ${last ?? 0} order by id limit ${mostAtOnce}`;
    if (ids.length === 0) return count;
    count += await inTransaction(pool, async (tx) => {
      const reaching = await renewParts(tx, ids);
      return tx.value<number>`select push_relay.replay(${reaching}::bigint[])`;
    });
    after = ids.at(-1) ?? 0;
  }
}

function choose(selection: ReplaySelection) {
  if ("ids" in selection) return sql`select id from push_relay.delivery where id = any (${selection.ids}::bigint[])`;
  if ("since" in selection)
    return sql`
      select id from push_relay.delivery
      where project_id = ${selection.projectId} and created_at >= ${selection.since}
        and created_at < ${selection.until ?? "infinity"}::timestamptz`;
  return sql`select delivery_id as id from push_relay.dead where project_id = ${selection.projectId}`;
}

interface Backfill {
  readonly projectId: number;
  readonly kind: string;
  readonly event: CampusEvent;
  readonly timeZone: string;
  readonly subjects?: ReadonlySet<string> | undefined;
}

interface Step {
  readonly added: number;
  readonly lastId: number | null;
}

async function backfillWhole(tx: Db, { projectId, kind, event, timeZone }: Backfill, after: number): Promise<Step> {
  const [step] = await tx<Step[]>`
    select added, last_id as "lastId"
    from push_relay.backfill(${projectId}, ${kind}, ${event}, ${after}, ${mostAtOnce}, ${timeZone})`;
  return step ?? { added: 0, lastId: null };
}

export const backfilled = [
  ["organisation", "addOrg"],
  ["person", "addUser"],
] as const;

export async function backfillProject(
  pool: Pool,
  projectId: number,
  timeZone: string,
  subjects?: ReadonlySet<string>,
): Promise<number> {
  let count = 0;
  for (const [kind, event] of backfilled)
    for (let after: number | null = 0; after !== null;) {
      const from: number = after;
      const { added, lastId }: Step = await inTransaction(pool, async (tx) => {
        const selection = await findSelection(tx, projectId);
        const backfill = { projectId, kind, event, timeZone, subjects };
        return selection || subjects
          ? backfillParts(tx, backfill, from, selection ?? wholeSelection)
          : backfillWhole(tx, backfill, from);
      });
      count += added;
      after = lastId;
    }
  return count;
}

async function backfillParts(tx: Db, backfill: Backfill, after: number, selection: Selection): Promise<Step> {
  const { projectId, kind, event, timeZone, subjects: wanted } = backfill;
  const next = await tx<{ id: number; identity: string }[]>`
    select id, identity from push_relay.subject
    where present and kind = ${kind} and id > ${after} order by id limit ${mostAtOnce}`;
  const ids = next.filter(({ identity }) => wanted?.has(identity) ?? true).map(({ id }) => id);
  const lastId = next.at(-1)?.id ?? null;
  if (ids.length === 0) return { added: 0, lastId };
  await tx`
    select from push_relay.subject where id = any (${ids}::bigint[]) order by school_code, kind, identity for update`;
  const subjects = await tx<{ id: number; schoolCode: string; data: string }[]>`
    select id, school_code as "schoolCode", data from push_relay.subject
    where id = any (${ids}::bigint[]) and present order by id`;
  const requests = await findRequests(tx, subjects);
  const parts = subjects.flatMap(({ id, schoolCode, data }) => {
    const source = openSource({ event, schoolCode, data: openData(tx.keys, data) }, requests.get(schoolCode));
    const part = source.partFor(selection);
    return part ? [{ id, fits: part.fits, ...toStored(tx, part) }] : [];
  });
  const added = await tx.value<number>`
    select push_relay.backfill_parts(${projectId}, ${event}, ${parts.map(({ id }) => id)}::bigint[],
      ${parts.map(({ form }) => form)}::text[], ${parts.map(({ fits }) => fits)}::boolean[],
      ${parts.map(({ data }) => data)}::text[], ${timeZone})`;
  return { added, lastId };
}

async function findRequests(tx: Db, subjects: readonly { readonly schoolCode: string }[]) {
  const codes = [...new Set(subjects.map(({ schoolCode }) => schoolCode))];
  return new Map(await Promise.all(codes.map(async (code) => [code, await findRequest(tx, code)] as const)));
}

interface Sent {
  readonly id: number;
  readonly selection: Selection | null;
  readonly event: CampusEvent;
  readonly schoolCode: string;
  readonly stored: string;
  readonly wholeId: number;
  readonly whole: string;
}

/**
 * Applies the projects' present selections to the events, since a selection may have changed after the event was
 * stored.
 * @returns the ids of the deliveries that their project's selection does not exclude
 */
async function renewParts(tx: Db, ids: readonly number[]): Promise<number[]> {
  // What a reader holds stays as it was given. Only the head of a subject's deliveries is marked as held.
  const isHeld = sql`exists (
    select from push_relay.lease join push_relay.queue as held on held.delivery_id = any (deliveries) and held.claim = lease.claim
    where lease.project_id = project.id and delivery.id = any (deliveries) and held.leased_until > now())`;
  const rows = await tx<Sent[]>`
    select delivery.id, selection, event.event, school_code as "schoolCode", push_relay.forwarded(event.*) as stored,
      coalesce(whole.id, event.id) as "wholeId",
      case when whole.id is null then push_relay.forwarded(event.*) else push_relay.forwarded(whole.*) end as whole
    from push_relay.delivery join push_relay.event on event.id = event_id
    join push_relay.subject on subject.id = event.subject_id join push_relay.project on project.id = project_id
    left join push_relay.event as whole on whole.id = event.whole_id
    where delivery.id = any (${ids}::bigint[]) and (selection is not null or event.whole_id is not null) and not ${isHeld}`;
  const requests = await findRequests(tx, rows);
  const renewed = rows.map((row) => renewPart(tx, row, requests.get(row.schoolCode)));
  const others = renewed.filter((one) => one !== "same" && one !== "none");
  if (others.length > 0)
    await tx`
      select from push_relay.exchange_parts(${others.map(({ id }) => id)}::bigint[],
        ${others.map(({ wholeId }) => wholeId)}::bigint[], ${others.map(({ form }) => form)}::text[],
        ${others.map(({ leaves }) => leaves)}::boolean[], ${others.map(({ data }) => data)}::text[])`;
  const none = new Set(rows.filter((_row, index) => renewed[index] === "none").map(({ id }) => id));
  return ids.filter((id) => !none.has(id));
}

function renewPart(tx: Db, row: Sent, request: Awaited<ReturnType<typeof findRequest>>) {
  const { id, wholeId, event, schoolCode } = row;
  const before = tryToOpen(tx, row.stored);
  // An event that cannot be opened fails when it is sent (P6d).
  if (!before) return "same";
  const whole = tryToOpen(tx, row.whole) ?? before;
  const data = dataOf(whole.form, whole.data);
  const part = openSource({ event, schoolCode, data }, request).partFor(row.selection ?? wholeSelection);
  const leaves = part?.fits === false;
  // Nothing is sent for a subject that does not match, unless the delivery is the notice that it no longer matches.
  if (!part || (leaves && !saysLeft(before.head))) return "none";
  const isSame =
    part.form === before.form &&
    dataOf(before.form, before.data) === dataOf(part.form, part.data) &&
    isDecrypted(before) === isDecrypted(part);
  return isSame ? "same" : { id, wholeId, leaves, ...toStored(tx, part) };
}

function tryToOpen(tx: Db, stored: string) {
  try {
    return openEvent(tx.keys, stored);
  } catch {
    return undefined;
  }
}
