import { randomBytes } from "node:crypto";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";

// A file that somebody has sent to be looked at need not be sent again for what comes of the look: it is held for a while,
// by the process that it came to. Whoever does not find it there any more sends it once more.

export type HeldFiles = ReturnType<typeof openHeldFiles>;

export interface HoldLimits {
  readonly forMs: number;
  /** Of all owners; the oldest files make room for another. */
  readonly mostFiles: number;
  readonly mostBytes: number;
}

export function openHeldFiles({ forMs, mostFiles, mostBytes }: HoldLimits) {
  const held = new Map<
    string,
    { readonly file: ReceivedFile; readonly owner: string; readonly timer: NodeJS.Timeout }
  >();
  const letGo = async (id: string): Promise<void> => {
    const entry = held.get(id);
    held.delete(id);
    clearTimeout(entry?.timer);
    await entry?.file.end();
  };
  // What could not be removed is removed with other arrivals that were left behind.
  const drop = (id: string): void => void letGo(id).catch(() => undefined);
  const makeRoom = (): void => {
    let bytes = 0;
    for (const [place, [id, { file }]] of [...held].toReversed().entries()) {
      bytes += file.bytes;
      if (place >= mostFiles || (place > 0 && bytes > mostBytes)) drop(id);
    }
  };
  return {
    /** Holds the file for its owner, and returns what it is called by: 32 hexadecimal digits. */
    hold(file: ReceivedFile, owner: string): string {
      const id = randomBytes(16).toString("hex");
      held.set(id, { file: file.share(), owner, timer: setTimeout(drop, forMs, id).unref() });
      makeRoom();
      return id;
    },
    /** A share in a file that is held for that owner; undefined where there is none. End it. */
    find(id: string, owner: string): ReceivedFile | undefined {
      const entry = held.get(id);
      return entry?.owner === owner ? entry.file.share() : undefined;
    },
    clear: async () => void (await Promise.all([...held.keys()].map(letGo))),
  };
}
