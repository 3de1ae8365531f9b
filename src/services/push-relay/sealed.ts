import { type Keyring, bindingOf, type SealedColumn } from "#platform/sealing/keyring.ts";
import { splitHead, writers } from "./forms.ts";
import type { Form } from "./selection-contract.ts";

const key = { id: "bigint" } as const;
const project = { table: "push_relay.project", key, place: "push_relay.project.secret" };

const appSecret: SealedColumn = { table: "push_relay.campus_app", key, column: "app_secret" };
const secret: SealedColumn = { ...project, column: "secret" };
// Rotation copies the sealed secret to old_secret, so both columns share one binding.
const oldSecret: SealedColumn = { ...project, column: "old_secret" };

const contact: SealedColumn = { table: "push_relay.project", key, column: "contact_sealed" };

// Personal data from the campus platform. Event and directory share the sealed text, so a push is sealed once.
const data: SealedColumn = { table: "push_relay.subject", key, column: "data", batchRows: 100 };
const eventData: SealedColumn = { ...data, table: "push_relay.event", place: bindingOf(data) };
// Response bodies are sealed too, since some receivers echo the request with its personal data.
const answer: SealedColumn = { table: "push_relay.exchange", key, column: "body", batchRows: 100 };

export const sealedColumns: readonly SealedColumn[] = [appSecret, secret, oldSecret, contact, data, eventData, answer];

/** Seals an event's data once, for both directory and body. */
export const sealData = (keys: Keyring, text: string): string => keys.seal(bindingOf(data), text);
export const openData = (keys: Keyring, stored: string): string => keys.open(bindingOf(data), stored);
/**
 * Opens an event or a project's part of one. @param stored as returned by `push_relay.forwarded`
 * @throws {Error} when it was tampered with or its key is missing
 */
export function openEvent(keys: Keyring, stored: string): { form: Form; head: string; data: string } {
  const end = stored.indexOf("\n");
  const sealed = stored.slice(end + 1);
  return { ...splitHead(stored.slice(0, end)), data: sealed === "" ? "" : openData(keys, sealed) };
}

/** Opens a forwarded body. @throws {Error} as openEvent does */
export function openBody(keys: Keyring, stored: string): Forwarded {
  const { form, head, data } = openEvent(keys, stored);
  const { contentType, write } = writers[form];
  return { form, contentType, body: write(head, data) };
}

export interface Forwarded<Body = string> {
  readonly form: Form;
  readonly contentType: string;
  readonly body: Body;
}

/** Cache size: an event goes to all its projects within moments, and opening it costs a tenth of sending it. */
const mostRememberedBytes = 8 * 1024 * 1024;

/** Opens bodies for sending and caches the latest. @throws {Error} as openBody does */
export function openBodies(keys: Keyring): OpenBody {
  // The key includes the public id, since row ids restart after a restore.
  const remembered = new Map<string, Forwarded<Buffer>>();
  let bytes = 0;
  return ({ publicId, eventId }, stored) => {
    const key = `${eventId} ${publicId}`;
    const known = remembered.get(key);
    if (known) return known;
    const { body, ...how } = openBody(keys, stored);
    const opened = { ...how, body: Buffer.from(body) };
    // Without a data key, opening is free and needs no cache.
    if (keys.ids.length === 0) return opened;
    remembered.set(key, opened);
    bytes += opened.body.length;
    for (const [oldest, { body: old }] of remembered) {
      if (bytes <= mostRememberedBytes) break;
      remembered.delete(oldest);
      bytes -= old.length;
    }
    return opened;
  };
}

/** Opens the bytes to send of an event or of a part of one. */
export type OpenBody = (
  event: { readonly publicId: string; readonly eventId: number },
  stored: string,
) => Forwarded<Buffer>;

export const sealAnswer = (keys: Keyring, text: string): string => keys.seal(bindingOf(answer), text);
export const openAnswer = (keys: Keyring, stored: string): string => keys.open(bindingOf(answer), stored);

export const sealSecret = (keys: Keyring, text: string): string => keys.seal(project.place, text);

export const sealContact = (keys: Keyring, text: string): string => keys.seal(bindingOf(contact), text);
export const openContact = (keys: Keyring, stored: string | null): string =>
  stored === null ? "" : keys.open(bindingOf(contact), stored);

export const openSecrets = <T extends { secret: string; oldSecret: string | null }>(keys: Keyring, row: T): T => ({
  ...row,
  secret: keys.open(project.place, row.secret),
  oldSecret: row.oldSecret === null ? null : keys.open(project.place, row.oldSecret),
});

export const sealAppSecret = (keys: Keyring, text: string): string => keys.seal(bindingOf(appSecret), text);
export const openAppSecret = (keys: Keyring, stored: string): string => keys.open(bindingOf(appSecret), stored);
