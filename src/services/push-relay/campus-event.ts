import { isStorable, toStorable } from "#platform/contract/storable-text.ts";
import { isDateTime, parseDateTime } from "#platform/contract/times.ts";
import { type Db, sql } from "#platform/database/index.ts";
import type { CampusEvent } from "./campus-contract.ts";
import { sealData } from "./sealed.ts";
import type { SourceRequest } from "./selection.ts";
import { type Selections, selectParts } from "./selection-store.ts";

/** What an event is about: `range` is what has no subject of its own, such as who may see an application. */
export type SubjectKind = "person" | "organisation" | "range";

export interface ReceivedEvent {
  readonly schoolCode: string;
  readonly event: CampusEvent;
  readonly kind: SubjectKind;
  /** card_number, or the organisation's id as text; "" for a range. */
  readonly identity: string;
  /** SHA-256 of event and raw_data as they were sent: the same again is a repeat. */
  readonly hash: Buffer;
  /** The decrypted JSON text exactly as it came, so that unknown fields and long numbers go out unchanged. */
  readonly data: string;
  readonly name: string | null;
  /** When the campus platform changed the subject, as far as the data tells. */
  readonly updatedAt: Date | null;
  /** The subject is there no more. */
  readonly removes: boolean;
}

/** What the decrypted text tells of itself. */
export interface EventContent {
  readonly text: string;
  readonly object: Readonly<Record<string, unknown>>;
}

// Deeper than any person or organisation, and well within what receivers' parsers take (PHP's gives up at 512).
const mostDepth = 64;
const mostIdentity = 255;
const dayMs = 86_400_000;

/** Whether arrays and objects lie in one another no deeper than we pass on. */
const isShallow = (value: unknown, room = mostDepth): boolean =>
  typeof value !== "object" ||
  value === null ||
  (room > 0 && Object.values(value).every((one) => isShallow(one, room - 1)));

/** The JSON object in the bytes; undefined when they are no UTF-8, no JSON, no object, or nested too deeply. */
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

/** By which field an event tells whom it is about. */
export const subjectFields: Readonly<Record<string, { readonly kind: SubjectKind; readonly field: string }>> = {
  User: { kind: "person", field: "card_number" },
  Org: { kind: "organisation", field: "id" },
};

/**
 * Whom an event is about. Without a usable number in its data it counts as a range: it is kept and passed on all the
 * same, since refusing it would only make the campus platform send it again for ever.
 */
function findSubject(event: CampusEvent, object: EventContent["object"]): { kind: SubjectKind; identity: string } {
  const { kind, field } = subjectFields[/User$|Org$/.exec(event)?.[0] ?? ""] ?? { kind: "range", field: "" };
  const value = object[field];
  const identity = typeof value === "string" || Number.isSafeInteger(value) ? String(value).trim() : "";
  if (identity === "" || identity.length > mostIdentity || !isStorable(identity))
    return { kind: "range", identity: "" };
  return { kind, identity };
}

/** What there is to store of an event. */
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
    // A time of tomorrow or later is a mistake, and believing it would hold up every true change after it.
    updatedAt: updatedAt && updatedAt.getTime() <= nowMs + dayMs ? updatedAt : null,
    removes: pushed.event.startsWith("delete"),
  };
}

/** An event, and the application by which it was trusted, as it was when its secrets were read. */
export interface TrustedEvent {
  readonly event: ReceivedEvent;
  readonly application: { readonly id: number; readonly version: string };
  readonly request?: SourceRequest;
}

/** Of the statement that stores: a project's selection is another by now. */
const selectionsChanged = "QR001";

/**
 * Stores events about different subjects, their subjects' states and a delivery for each valid project that is given any of
 * them, in one statement that is on disk when it returns. Applications and selections are compared in it, and so may come
 * from memory.
 * @param zone time zone of the forwarded body's receivedTime
 * @returns of each what became of it; "stale": its application or a selection has changed, and it was not stored
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
