import { byCaller, writeAudit } from "#platform/accounts/audit.ts";
import { toFileAnswer } from "#platform/files/file-answer.ts";
import { findUpload, keepUpload } from "#platform/files/upload.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { fileFolder } from "#services/disease-command/record-table.ts";
import { found, service } from "#services/disease-command/records.ts";
import type { fileEndpoints } from "./contract.ts";

export const fileHandlers = ({ pool, settings, files }: Platform): Handlers<typeof fileEndpoints> => ({
  uploadImage: {
    withoutTransaction: async ({ file, once, caller, address }) => {
      const imageName = await keepUpload(pool, files, file, {
        service,
        imagesOnly: true,
        settings,
        once: async (tx, create) => {
          const name = await once(tx, create);
          const records = [name];
          await writeAudit(tx, {
            service,
            ...byCaller(caller),
            action: "uploadImage",
            outcome: "done",
            records,
            address,
          });
          return name;
        },
      });
      return { imageName, url: fileFolder(settings) + imageName };
    },
  },
  readFile: async ({ db, params, request }) => {
    const upload = found(await findUpload(db, service, params.name));
    return toFileAnswer(upload, files, request);
  },
});
