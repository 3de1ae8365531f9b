import { openBody } from "#services/push-relay/sealed.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";

/** The bytes of events, as they are sent. */
export interface Bodies {
  /** @param stored the body as the database has it @throws {Error} when it was changed, or its key is missing */
  open(publicId: string, stored: string): Buffer;
}

/** An event goes to its projects within moments; to open it costs as much as a tenth of sending it. */
export const mostRememberedBytes = 8 * 1024 * 1024;

export function openBodies(keys: Keyring): Bodies {
  // By the public id: numbers begin anew after a restore.
  const remembered = new Map<string, Buffer>();
  let bytes = 0;
  const remember = (publicId: string, body: Buffer): void => {
    remembered.set(publicId, body);
    bytes += body.length;
    for (const [oldest, { length }] of remembered) {
      if (bytes <= mostRememberedBytes) return;
      remembered.delete(oldest);
      bytes -= length;
    }
  };
  return {
    open(publicId, stored) {
      // Without a key too: what a lost one has sealed must not go out as it lies there.
      if (keys.ids.length === 0) return Buffer.from(openBody(keys, stored));
      const known = remembered.get(publicId);
      if (known) return known;
      const body = Buffer.from(openBody(keys, stored));
      remember(publicId, body);
      return body;
    },
  };
}
