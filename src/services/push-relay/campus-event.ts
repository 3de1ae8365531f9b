import { isStorable, toStorable } from "#platform/contract/storable-text.ts";
import { isDateTime, parseDateTime } from "#platform/contract/times.ts";
import { type Db, sql } from "#platform/database/index.ts";
import type { CampusEvent } from "./campus-contract.ts";
import { sealData } from "./sealed.ts";
import { type ReceivedEvent, type SubjectKind, subjectFields, type TrustedEvent } from "./received-event.ts";
import { type Selections, selectParts } from "./selection-store.ts";

export interface EventContent {
  readonly text: string;
  readonly object: Readonly<Record<string, unknown>>;
}

// No person or organisation is nested this deeply, and the parsers of receivers allow more (PHP allows 512 levels).
const mostDepth = 64;
const mostIdentity = 255;
const dayMs = 86_400_000;

const isShallow = (value: unknown, room = mostDepth): boolean =>
  typeof value !== "object" ||
  value === null ||
  (room > 0 && Object.values(value).every((one) => isShallow(one, room - 1)));

export function readContent(bytes: Buffer): EventContent | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const object: unknown = JSON.parse(text);
    const isObject = typeof object === "object" && object !== null && !Array.isArray(object) && isShallow(object);
    return isObject ? { text, object: object as Record<string, unknown> } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * An event without a usable card_number or organisation id is forwarded as a "range" event, since the campus platform
 * would retry a refused event forever.
 */
function findSubject(event: CampusEvent, object: EventContent["object"]): { kind: SubjectKind; identity: string } {
  const { kind, field } = subjectFields[/User$|Org$/.exec(event)?.[0] ?? ""] ?? { kind: "range", field: "" };
  const value = object[field];
  const identity = typeof value === "string" || Number.isSafeInteger(value) ? String(value).trim() : "";
  if (identity === "" || identity.length > mostIdentity || !isStorable(identity))
    return { kind: "range", identity: "" };
  return { kind, identity };
}

export function describeEvent(
  pushed: { readonly schoolCode: string; readonly event: CampusEvent; readonly hash: Buffer },
  { text, object }: EventContent,
  { zone, nowMs }: { readonly zone: string; readonly nowMs: number },
): ReceivedEvent {
  const { name, updated_at: updated } = object;
  const updatedAt = typeof updated === "string" && isDateTime(updated) ? parseDateTime(updated, zone) : null;
  return {
    ...pushed,
    ...findSubject(pushed.event, object),
    data: text,
    name: typeof name === "string" && name !== "" ? toStorable(name, mostIdentity) : null,
    // A time more than a day in the future is ignored as a mistake, since later changes with correct times would count
    // as older and not reach the directory.
    updatedAt: updatedAt && updatedAt.getTime() <= nowMs + dayMs ? updatedAt : null,
    removes: pushed.event.startsWith("delete"),
  };
}

const selectionsChanged = "QR001";

/**
 * Stores events about different subjects, the subjects' states and the deliveries in one statement. The statement
 * compares the versions of applications and selections, so both may be read from a cache.
 * @param zone time zone of `receivedTime` in the forwarded body
 * @returns an outcome for each event; "repeat" and "stale" mean that the event was not stored, "stale" because the
 * application or a selection has changed
 */
export async function acceptEvents(
  db: Db,
  trusted: readonly TrustedEvent[],
  zone: string,
  selections: Selections,
): Promise<("stored" | "repeat" | "stale")[]> {
  try {
    const ids = await storeEvents(db, trusted, zone, selections);
    return ids.map((id) => (id > 0 ? "stored" : id === 0 ? "repeat" : "stale"));
  } catch (error) {
    if ((error as { code?: unknown }).code !== selectionsChanged) throw error;
    return trusted.map(() => "stale");
  }
}

async function storeEvents(db: Db, trusted: readonly TrustedEvent[], zone: string, selections: Selections) {
  const column = <T>(read: (one: TrustedEvent) => T): T[] => trusted.map(read);
  const areSelected = selections.groups.length > 0;
  const parts = areSelected ? sql`, ${selections.version}, ${selectParts(db, trusted, selections)}` : sql``;
  const [row] = await db<[{ ids: number[] }]>`
    select ${sql.raw(areSelected ? "push_relay.take" : "push_relay.accept")}(
      ${column(({ application }) => application.id)}::bigint[], ${column(({ application }) => application.version)}::text[],
      ${column(({ event }) => event.schoolCode)}::text[], ${column(({ event }) => event.event)}::text[],
      ${column(({ event }) => event.kind)}::text[], ${column(({ event }) => event.identity)}::text[],
      ${column(({ event }) => event.hash)}::bytea[],
      ${column(({ event }) => sealData(db.keys, event.data))}::text[], ${column(({ event }) => event.name)}::text[],
      ${column(({ event }) => event.updatedAt)}::timestamptz[],
      ${column(({ event }) => event.removes)}::boolean[], ${zone}${parts}) as ids`;
  return row.ids;
}
