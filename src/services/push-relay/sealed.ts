import { type Keyring, bindingOf, type SealedColumn } from "#platform/sealing/keyring.ts";
import { dataOf, splitHead, writers } from "./forms.ts";
import type { Form } from "./selection-contract.ts";

const key = { id: "bigint" } as const;
const project = { table: "push_relay.project", key, place: "push_relay.project.secret" };

const appSecret: SealedColumn = { table: "push_relay.campus_app", key, column: "app_secret" };
const secret: SealedColumn = { ...project, column: "secret" };
// Changing the secret copies its sealed text to old_secret, so both columns have the same binding.
const oldSecret: SealedColumn = { ...project, column: "old_secret" };

const contact: SealedColumn = { table: "push_relay.project", key, column: "contact_sealed" };

// The event and the directory store the same sealed text, so that the data of a push is sealed only once.
const data: SealedColumn = { table: "push_relay.subject", key, column: "data", batchRows: 100 };
const eventData: SealedColumn = { ...data, table: "push_relay.event", place: bindingOf(data) };
// Some receivers echo the request with its personal data, so response bodies are sealed.
const answer: SealedColumn = { table: "push_relay.exchange", key, column: "body", batchRows: 100 };

export const sealedColumns: readonly SealedColumn[] = [appSecret, secret, oldSecret, contact, data, eventData, answer];

export const sealData = (keys: Keyring, text: string): string => keys.seal(bindingOf(data), text);
export const openData = (keys: Keyring, stored: string): string => keys.open(bindingOf(data), stored);
/**
 * @param stored the result of `push_relay.forwarded`
 * @throws {Error} if the text was tampered with or its key is missing
 */
export function openEvent(keys: Keyring, stored: string): { form: Form; head: string; data: string } {
  const end = stored.indexOf("\n");
  const sealed = stored.slice(end + 1);
  const { form, head } = splitHead(stored.slice(0, end));
  return { form, head, data: sealed === "" ? "" : openData(keys, sealed) };
}

/** @param isPulled whether a reader pulls the event, which is JSON in every form of the project */
export function openBody(keys: Keyring, stored: string, isPulled = false): Forwarded {
  const event = openEvent(keys, stored);
  const form = isPulled ? "json" : event.form;
  const { contentType, write } = writers[form];
  return { form, contentType, body: write(event.head, isPulled ? dataOf(event.form, event.data) : event.data) };
}

export interface Forwarded<Body = string> {
  readonly form: Form;
  readonly contentType: string;
  readonly body: Body;
}

/**
 * Opened bodies are cached, since an event is sent to all of its projects within moments, and opening it costs 10 % of
 * sending it.
 */
const mostRememberedBytes = 8 * 1024 * 1024;

export function openBodies(keys: Keyring): OpenBody {
  // The cache key includes the public id, since row ids may repeat after a restore.
  const remembered = new Map<string, Forwarded<Buffer>>();
  let bytes = 0;
  return ({ publicId, eventId }, stored) => {
    if (keys.ids.length === 0) return toBytes(openBody(keys, stored));
    const key = `${eventId} ${publicId}`;
    const known = remembered.get(key);
    if (known) return known;
    const opened = toBytes(openBody(keys, stored));
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

const toBytes = ({ form, contentType, body }: Forwarded): Forwarded<Buffer> => ({
  form,
  contentType,
  body: Buffer.from(body),
});

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
