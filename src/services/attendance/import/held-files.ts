import { randomBytes } from "node:crypto";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";

// The process that received a previewed file keeps it for a while, so that it need not be uploaded again; the client
// uploads it once more if it is gone.

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
  // The clean-up of abandoned uploads repeats a failed deletion.
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
    /** The caller must end the share. */
    find(id: string, owner: string): ReceivedFile | undefined {
      const entry = held.get(id);
      return entry?.owner === owner ? entry.file.share() : undefined;
    },
    clear: async () => void (await Promise.all([...held.keys()].map(letGo))),
  };
}
