import { batch, type Db, sql } from "#platform/database/index.ts";
import type { ReceivedEvent, TrustedEvent } from "./received-event.ts";
import { openAppSecret, openEvent, sealData } from "./sealed.ts";
import { openSource, type Part } from "./selection.ts";
import type { SourceRequest } from "./received-event.ts";
import type { Selection } from "./selection-contract.ts";

export interface Selections {
  /**
   * The projects with a selection. Those whose selections differ at most in the rate limit are one group, so that each
   * distinct selection is applied only once.
   */
  readonly groups: readonly { readonly selection: Selection; readonly projectIds: readonly number[] }[];
  readonly version: string;
}

export const noSelections: Selections = { groups: [], version: "" };

/**
 * Caches the selections. The statement that stores events compares the version of the selections, and the cache is
 * refreshed after a mismatch.
 */
export function openSelectionBook(db: Db) {
  let known = noSelections;
  const load = async (askers: readonly void[]) => {
    const projects = await db<{ id: number; revision: number; selection: Selection }[]>`
      select id, revision, selection from push_relay.project
      where statu = 0 and deleted_at is null and selection is not null order by id`;
    const alike = Map.groupBy(projects, ({ selection }) => JSON.stringify({ ...selection, perSecond: null }));
    known = {
      groups: [...alike].map(([selection, own]) => ({
        selection: JSON.parse(selection) as Selection,
        projectIds: own.map(({ id }) => id),
      })),
      version: projects.map(({ id, revision }) => `${id}:${revision}`).join(","),
    };
    return askers;
  };
  return { read: (): Selections => known, refresh: batch<void, void>(load, { most: Infinity }) };
}

export function selectParts(db: Db, trusted: readonly TrustedEvent[], { groups }: Selections) {
  const parts: { place: number; form: string; leaves: boolean; data: string }[] = [];
  const to: { part: number; projectId: number; fits: boolean | null }[] = [];
  for (const [index, { event, request }] of trusted.entries()) {
    const source = openSource(event, request);
    const known = new Map<string, number>();
    for (const { selection, projectIds } of groups) {
      const part = source.partFor(selection);
      if (!part) continue;
      const leaves = part.fits === false;
      const key = `${part.form}${leaves}${part.data}`;
      const number = known.get(key) ?? parts.push({ place: index + 1, ...toStored(db, part), leaves });
      known.set(key, number);
      for (const projectId of projectIds) to.push({ part: number, projectId, fits: part.fits });
    }
  }
  return sql`${parts.map(({ place }) => place)}::int[], ${parts.map(({ form }) => form)}::text[],
    ${parts.map(({ leaves }) => leaves)}::boolean[], ${parts.map(({ data }) => data)}::text[],
    ${toLiteral(to, ({ part }) => part)}::int[], ${toLiteral(to, ({ projectId }) => projectId)}::bigint[],
    ${toLiteral(to, ({ fits }) => fits)}::boolean[]`;
}

/**
 * The array literals are written here, since the driver would quote each value and each array has an element per
 * project.
 */
const toLiteral = <T>(rows: readonly T[], read: (row: T) => number | boolean | null): string =>
  `{${rows.map((row) => read(row) ?? "null").join(",")}}`;

export const toStored = (db: Db, { form, data }: Part): { form: string; data: string } => ({
  form: form === "json" ? "" : form,
  data: sealData(db.keys, data),
});

/** Returns null if the project receives every event unchanged, and undefined if the project is unknown. */
export const findSelection = async (db: Db, id: number): Promise<Selection | null | undefined> => {
  const [row] = await db<{ selection: Selection | null }[]>`
    select selection from push_relay.project where id = ${id} and deleted_at is null`;
  return row && row.selection;
};

/** If a school has several applications, the keys are those of the oldest one. */
export async function findRequest(db: Db, schoolCode: string): Promise<SourceRequest | undefined> {
  const [row] = await db<{ appKey: string; appSecret: string }[]>`
    select app_key as "appKey", app_secret as "appSecret" from push_relay.campus_app
    where school_code = ${schoolCode} order by id limit 1`;
  return row && { keys: { appKey: row.appKey, appSecret: openAppSecret(db.keys, row.appSecret) } };
}

const latestEvents = 100_000;

export async function findLatest(db: Db, event: ReceivedEvent["event"]) {
  const [row] = await db<{ body: string; schoolCode: string }[]>`
    select push_relay.forwarded(event.*) as body, school_code as "schoolCode"
    from push_relay.event join push_relay.subject on subject.id = subject_id
    where event.id > (select max(id) from push_relay.event) - ${latestEvents} and event.event = ${event} and whole_id is null
    order by event.id desc limit 1`;
  return row && { ...openEvent(db.keys, row.body), schoolCode: row.schoolCode };
}
