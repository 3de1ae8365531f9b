import { Problem } from "#platform/contract/problem.ts";
import { toFileAnswer } from "#platform/files/file-answer.ts";
import { findUpload, keepUpload } from "#platform/files/upload.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { toLink } from "#platform/process/links.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "./contract.ts";
import { service } from "./rules.ts";

const filePath = "/reporting/file/";

type Endpoints = Pick<typeof endpoints, "uploadFile" | "readFile">;

/** The handlers of attachments. */
export function fileHandlers({ pool, files, settings }: Platform): Handlers<Endpoints> {
  return {
    uploadFile: {
      withoutTransaction: async ({ file, once }) => {
        const name = await keepUpload(pool, files, file, { service, imagesOnly: false, settings, once });
        return toLink(settings, filePath + name);
      },
    },

    readFile: async ({ db, params, request }) => {
      const upload = await findUpload(db, service, params.name);
      if (!upload) throw new Problem("notFound");
      return toFileAnswer(upload, files, request);
    },
  };
}
