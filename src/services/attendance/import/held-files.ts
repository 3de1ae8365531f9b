import { randomBytes } from "node:crypto";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";

// After a preview, the process keeps the received file for a while, so that it need not be uploaded again for the
// import. If the file is gone, the client uploads it once more.

export type HeldFiles = ReturnType<typeof openHeldFiles>;

export interface HoldLimits {
  readonly forMs: number;
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
  // If the deletion fails, the clean-up of abandoned uploads deletes the file later.
  const drop = (id: string): void => void letGo(id).catch(() => undefined);
  const makeRoom = (): void => {
    let bytes = 0;
    for (const [place, [id, { file }]] of [...held].toReversed().entries()) {
      bytes += file.bytes;
      if (place >= mostFiles || (place > 0 && bytes > mostBytes)) drop(id);
    }
  };
  return {
    hold(file: ReceivedFile, owner: string): string {
      const id = randomBytes(16).toString("hex");
      held.set(id, { file: file.share(), owner, timer: setTimeout(drop, forMs, id).unref() });
      makeRoom();
      return id;
    },
    /** The caller must call `end` on the returned file. */
    find(id: string, owner: string): ReceivedFile | undefined {
      const entry = held.get(id);
      return entry?.owner === owner ? entry.file.share() : undefined;
    },
    clear: async () => void (await Promise.all([...held.keys()].map(letGo))),
  };
}
