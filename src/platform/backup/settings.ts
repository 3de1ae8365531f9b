import * as z from "zod";
import { wholeNumber } from "#platform/contract/setting-types.ts";

/** The settings of the nightly backups, to be spread into the platform's. */
export const backupSettings = {
  BACKUP_TO: z
    .string()
    .refine((text) => !/^[a-z][a-z\d+.-]+:\/\//i.test(text), { error: "must be a folder" })
    .optional()
    .describe(
      "Folder, on another disk, into which the database and the uploaded files are backed up every night; left out, there are no nightly backups",
    ),
  BACKUP_TIME: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day, such as 03:00" })
    .default("03:00")
    .describe("When a backup is made every day, in Asia/Shanghai; one that was missed is made at once"),
  BACKUP_KEEP: wholeNumber(1, 1000, 7).describe("Nightly backups that are kept"),
};

export type BackupSettings = z.infer<z.ZodObject<typeof backupSettings>>;
