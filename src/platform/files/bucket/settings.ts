import * as z from "zod";
import { isLoopback } from "#platform/contract/networks.ts";
import { oneOf, requireWholeGroups, secret, wholeNumber } from "#platform/contract/setting-types.ts";

const bucketAddress =
  /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?<prefix>(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)\/?$/;

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.parse(text)?.origin === text.replace(/\/$/, "");

export const fileSettings = {
  FILES_URL: z
    .string()
    .regex(bucketAddress, { error: "must be s3://bucket or s3://bucket/prefix, without credentials" })
    .optional()
    .describe(
      "Bucket of an S3-compatible store for uploaded files, as s3://bucket/prefix; must not be shared with another installation. If not set, files are stored in DATA_DIR",
    ),
  FILES_ENDPOINT: z
    .string()
    .refine(isOrigin, { error: "must be an http or https address without a path, such as https://s3.example.edu" })
    .transform((text) => text.replace(/\/$/, ""))
    .optional()
    .describe("Address of the S3-compatible store, such as https://s3.example.edu"),
  FILES_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, { error: "must be the name of a region, such as us-east-1" })
    .default("us-east-1")
    .describe("Region used to sign requests to the S3-compatible store"),
  FILES_ACCESS_KEY: secret("Access key id for the S3-compatible store"),
  FILES_SECRET_KEY: secret("Secret access key for the S3-compatible store"),
  FILES_PLAIN_HTTP: oneOf(["refused", "allowed"], "refused").describe(
    "allowed: FILES_ENDPOINT may be an http address on another machine; files are then sent over the network unencrypted",
  ),
  // Uploading the largest file, 1024 MiB, may take 128 times this value. With the maximum of 20 s, that is less than
  // the hour after which housekeeping deletes a file without a row.
  FILES_TIMEOUT_SECONDS: wholeNumber(1, 20, 10).describe(
    "Time limit in seconds for uploading each 8 MiB of a file to the S3-compatible store, including retries, and for each pause in a download",
  ),
};

export type FileSettings = z.infer<z.ZodObject<typeof fileSettings>>;

export function checkFileSettings(settings: FileSettings, context: z.RefinementCtx): void {
  const all = ["FILES_URL", "FILES_ENDPOINT", "FILES_ACCESS_KEY", "FILES_SECRET_KEY"] as const;
  requireWholeGroups(settings, [{ all }], context);
  const url = URL.parse(settings.FILES_ENDPOINT ?? "");
  const isPlainElsewhere = url?.protocol === "http:" && !isLoopback(url.hostname);
  if (isPlainElsewhere && settings.FILES_PLAIN_HTTP === "refused") {
    const message = "must use https for another machine, unless FILES_PLAIN_HTTP=allowed";
    context.addIssue({ code: "custom", path: ["FILES_ENDPOINT"], message, input: undefined });
  }
}

export type Bucket = NonNullable<ReturnType<typeof readBucket>>;

export function readBucket(settings: FileSettings) {
  const { bucket, prefix = "" } = bucketAddress.exec(settings.FILES_URL ?? "")?.groups ?? {};
  const { FILES_ENDPOINT: endpoint, FILES_ACCESS_KEY: accessKey, FILES_SECRET_KEY: secretKey } = settings;
  if (!bucket || !endpoint || !accessKey || !secretKey) return undefined;
  return {
    endpoint,
    bucket,
    prefix: prefix === "" ? "" : `${prefix.slice(1)}/`,
    region: settings.FILES_REGION,
    accessKey,
    secretKey,
    timeoutMs: settings.FILES_TIMEOUT_SECONDS * 1000,
  };
}
