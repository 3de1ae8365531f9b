import { type Keyring, placeOf, type SealedColumn } from "#platform/sealing/keyring.ts";

const key = { id: "bigint" } as const;
const project = { table: "push_relay.project", key, place: "push_relay.project.secret" };

const appSecret: SealedColumn = { table: "push_relay.campus_app", key, column: "app_secret" };
const secret: SealedColumn = { ...project, column: "secret" };
// A secret that is rotated becomes the old one as it is stored, so both are bound to the same place.
const oldSecret: SealedColumn = { ...project, column: "old_secret" };

// What the campus platform has said of somebody. An event and the directory have the same sealed text, so a push is sealed once.
const data: SealedColumn = { table: "push_relay.subject", key, column: "data", together: 100 };
const eventData: SealedColumn = { ...data, table: "push_relay.event", place: placeOf(data) };
// Some receivers answer with what they were sent.
const answer: SealedColumn = { table: "push_relay.exchange", key, column: "body", together: 100 };

export const sealedColumns: readonly SealedColumn[] = [appSecret, secret, oldSecret, data, eventData, answer];

/** Of an event about to be stored, for the directory and for its body. */
export const sealData = (keys: Keyring, text: string): string => keys.seal(placeOf(data), text);
export const openData = (keys: Keyring, stored: string): string => keys.open(placeOf(data), stored);
/**
 * What is forwarded of an event. @param stored as `push_relay.forwarded` has it
 * @throws {Error} when it was changed, or its key is missing
 */
export function openBody(keys: Keyring, stored: string): string {
  const end = stored.indexOf("\n");
  const [body, sealed] = [stored.slice(0, end), stored.slice(end + 1)];
  return sealed === "" ? body : body.replace('"data":', () => `"data":${openData(keys, sealed)}`);
}

/** An event goes to its projects within moments; to open it costs as much as a tenth of sending it. */
const mostRememberedBytes = 8 * 1024 * 1024;

/** Opens the bytes of events, as they are sent, and remembers the latest. It throws as openBody does. */
export function openBodies(keys: Keyring): (publicId: string, stored: string) => Buffer {
  // By the public id: numbers begin anew after a restore.
  const remembered = new Map<string, Buffer>();
  let bytes = 0;
  return (publicId, stored) => {
    const known = remembered.get(publicId);
    if (known) return known;
    const body = Buffer.from(openBody(keys, stored));
    // Without a key there is nothing to open.
    if (keys.ids.length === 0) return body;
    remembered.set(publicId, body);
    bytes += body.length;
    for (const [oldest, { length }] of remembered) {
      if (bytes <= mostRememberedBytes) break;
      remembered.delete(oldest);
      bytes -= length;
    }
    return body;
  };
}

export const sealAnswer = (keys: Keyring, text: string): string => keys.seal(placeOf(answer), text);
export const openAnswer = (keys: Keyring, stored: string): string => keys.open(placeOf(answer), stored);

export const sealSecret = (keys: Keyring, text: string): string => keys.seal(project.place, text);

export const openSecrets = <T extends { secret: string; oldSecret: string | null }>(keys: Keyring, row: T): T => ({
  ...row,
  secret: keys.open(project.place, row.secret),
  oldSecret: row.oldSecret === null ? null : keys.open(project.place, row.oldSecret),
});

export const sealAppSecret = (keys: Keyring, text: string): string => keys.seal(placeOf(appSecret), text);
export const openAppSecret = (keys: Keyring, stored: string): string => keys.open(placeOf(appSecret), stored);
