import path from "node:path";
import * as z from "zod";
import { requireWholeGroups, secret, wholeNumber } from "#platform/contract/setting-types.ts";
import { bucketAddress, isOrigin, isPlainElsewhere, toBucket } from "#platform/files/bucket/settings.ts";
import { type BackupPlace, openBucketPlace, openFolderPlace } from "./place.ts";

/** The settings of the nightly backups, to be spread into the platform's. */
export const backupSettings = {
  BACKUP_TO: z
    .string()
    .refine((text) => !text.startsWith("s3:") || bucketAddress.test(text), {
      error: "must be a folder, or s3://bucket/prefix without sign-in data",
    })
    .optional()
    .describe(
      "Where the embedded database and the uploaded files are backed up every night: a folder of another disk, or s3://bucket/prefix; nothing else may lie there. Left out, there are no nightly backups",
    ),
  BACKUP_TIME: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day, such as 03:00" })
    .default("03:00")
    .describe("When a backup is made every day, in Asia/Shanghai; one that was missed is made at once"),
  BACKUP_KEEP: wholeNumber(1, 1000, 7).describe("Nightly backups that are kept"),
  BACKUP_ENDPOINT: z
    .string()
    .refine(isOrigin, { error: "must be an address of http or https without path, such as https://s3.example.edu" })
    .transform((text) => text.replace(/\/$/, ""))
    .refine((text) => !isPlainElsewhere(text), { error: "must be https on another machine" })
    .optional()
    .describe("Address of the S3-compatible store of the backups"),
  BACKUP_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, { error: "must be a region's name, such as us-east-1" })
    .default("us-east-1")
    .describe("Region that requests to the store of the backups are signed for"),
  BACKUP_ACCESS_KEY: secret("Access key at the store of the backups"),
  BACKUP_SECRET_KEY: secret("Secret key at the store of the backups"),
};

export type BackupSettings = z.infer<z.ZodObject<typeof backupSettings>>;

const isBucket = (address: string | undefined): boolean => address?.startsWith("s3:") === true;

/** For Zod's `superRefine`. */
export function checkBackupSettings(
  settings: BackupSettings & { readonly DATABASE_URL?: string | undefined },
  context: z.RefinementCtx,
): void {
  const access = ["BACKUP_ENDPOINT", "BACKUP_ACCESS_KEY", "BACKUP_SECRET_KEY"] as const;
  requireWholeGroups(settings, [{ all: access }], context);
  if (isBucket(settings.BACKUP_TO))
    for (const name of access)
      if (settings[name] === undefined)
        context.addIssue({ code: "custom", path: [name], message: "is needed beside BACKUP_TO", input: undefined });
  if (settings.BACKUP_TO !== undefined && settings.DATABASE_URL !== undefined) {
    const message = "is for the embedded database: yours of DATABASE_URL is backed up by its own tools";
    context.addIssue({ code: "custom", path: ["BACKUP_TO"], message, input: undefined });
  }
}

const timeoutMs = 20_000;

/** The place of an address. @throws {Error} for a bucket whose access is not set. */
export function openPlace(address: string, settings: BackupSettings & { readonly DATA_DIR: string }): BackupPlace {
  if (!isBucket(address)) return openFolderPlace(address);
  const bucket = toBucket(address, {
    endpoint: settings.BACKUP_ENDPOINT,
    region: settings.BACKUP_REGION,
    accessKey: settings.BACKUP_ACCESS_KEY,
    secretKey: settings.BACKUP_SECRET_KEY,
    timeoutMs,
  });
  if (!bucket)
    throw new Error(
      `${address.slice(0, 200)} needs the form s3://bucket/prefix, and BACKUP_ENDPOINT, BACKUP_ACCESS_KEY and BACKUP_SECRET_KEY set`,
    );
  return openBucketPlace(bucket, path.join(settings.DATA_DIR, "backup-spool"));
}
