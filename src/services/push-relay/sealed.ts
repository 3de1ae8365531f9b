import { placeOf, type SealedColumn, toStoredValue, toText } from "#platform/sealing/column.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";

const key = { id: "bigint" } as const;
const project = { table: "push_relay.project", key, place: "push_relay.project.secret" };

const appSecret: SealedColumn = { table: "push_relay.campus_app", key, column: "app_secret" };
const secret: SealedColumn = { ...project, column: "secret" };
// A secret that is rotated becomes the old one as it is stored, so both are bound to the same place.
const oldSecret: SealedColumn = { ...project, column: "old_secret" };

// Of a body, what the campus platform has said of somebody is sealed; what the relay puts around it tells nothing of a
// person. So an event and the directory have the same sealed text, the database composes bodies of it without a key, and
// a push is sealed once. In JSON nothing but the part's own begins with "data":sealed: since quotes in a string are escaped.
const data: SealedColumn = { table: "push_relay.subject", key, column: "data", together: 100 };
const body: SealedColumn = {
  table: "push_relay.event",
  key,
  column: "body",
  place: placeOf(data),
  part: { after: '"data":', before: ',"receivedTime":"' },
  together: 100,
};
// Some receivers answer with what they were sent.
const answer: SealedColumn = { table: "push_relay.exchange", key, column: "body", together: 100 };

export const sealedColumns: readonly SealedColumn[] = [appSecret, secret, oldSecret, data, body, answer];

/** Of an event about to be stored, for the directory and for its body. */
export const sealData = (keys: Keyring, text: string): string => toStoredValue(keys, data, text).plain;
export const openData = (keys: Keyring, stored: string): string => toText(keys, data, stored, null);
/** What is forwarded of an event. @throws {Error} when it was changed, or its key is missing */
export const openBody = (keys: Keyring, stored: string): string => toText(keys, body, stored, null);

export const sealAnswer = (keys: Keyring, text: string): string => keys.seal(placeOf(answer), text);
export const openAnswer = (keys: Keyring, stored: string): string => keys.open(placeOf(answer), stored);

export const sealSecret = (keys: Keyring, text: string): string => keys.seal(project.place, text);

interface Secrets {
  readonly secret: string;
  readonly oldSecret: string | null;
}

export const openSecrets = <T extends Secrets>(keys: Keyring, row: T): T => ({
  ...row,
  secret: keys.open(project.place, row.secret),
  oldSecret: row.oldSecret === null ? null : keys.open(project.place, row.oldSecret),
});

export const sealAppSecret = (keys: Keyring, text: string): string => keys.seal(placeOf(appSecret), text);
export const openAppSecret = (keys: Keyring, stored: string): string => keys.open(placeOf(appSecret), stored);
