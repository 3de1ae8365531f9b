import type { Caller } from "#platform/contract/caller.ts";
import { storeUpload } from "#platform/files/upload.ts";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";
import type { Once } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { type AuditEntry, byCaller, writeAudit } from "./audit.ts";

interface ReceivedImage {
  readonly file: ReceivedFile;
  readonly once: Once;
  readonly caller: Caller;
  readonly address: string;
}

export const storeAuditedImage = (
  { pool, files, settings }: Pick<Platform, "pool" | "files" | "settings">,
  { service, action }: Pick<AuditEntry, "service" | "action">,
  { file, once, caller, address }: ReceivedImage,
): Promise<string> =>
  storeUpload(pool, files, file, {
    service,
    imagesOnly: true,
    settings,
    once: async (tx, create) => {
      const name = await once(tx, create);
      const line = { service, ...byCaller(caller), action, records: [name], address };
      await writeAudit(tx, { ...line, outcome: "done" });
      return name;
    },
  });
