import { randomBytes } from "node:crypto";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toStorable } from "#platform/contract/storable-text.ts";
import { type Db, inTransaction, isUndone, type Pool } from "#platform/database/index.ts";
import { addJob } from "#platform/jobs/runner.ts";
import { type ReceivedFile, quotaExceeded, toStorageLimits, type UploadSettings } from "./temporary-files.ts";
import type { FileStore, LocalFile } from "./file-store.ts";
import { isInfected } from "./scanner.ts";
import { detectUploadType } from "./file-type.ts";

export interface StoreUploadOptions {
  readonly service: string;
  readonly imagesOnly: boolean;
  readonly settings: UploadSettings;
  readonly once: (tx: Db, create: () => Promise<string>) => Promise<string>;
}

/**
 * Stores a file under a random 128-bit name. If no record references the upload within 24 hours, the file is deleted.
 * The file is stored before its row is inserted, so every row has a file.
 * @throws {Problem} badFile if the type of the content is not allowed, the file is infected, or `imagesOnly` is set and
 * the file is not an image; notAllowedNow if the quota is exceeded; outsideFailed if the file store fails or the
 * scanner gives no verdict
 */
export async function storeUpload(
  pool: Pool,
  files: FileStore,
  file: LocalFile & Pick<ReceivedFile, "originalName">,
  options: StoreUploadOptions,
): Promise<string> {
  const type = await detectUploadType(file.path, file.originalName);
  if (!type) throw explain("badFile", "不支持的文件类型", "this file type is not supported");
  if (options.imagesOnly && !type.image) throw explain("badFile", "仅支持图片文件", "only images are accepted");
  const { UPLOAD_SCANNER: scanner } = options.settings;
  if (scanner !== undefined && (await isInfected(scanner, file.path)))
    throw explain("badFile", "文件包含恶意内容", "the file contains malware");
  const name = `${randomBytes(16).toString("hex")}.${type.extension}`;
  await files.put(name, file);
  const upload = { name, mime: type.mime, image: type.image, originalName: toStorable(file.originalName, 255) };
  try {
    const stored = await inTransaction(pool, (tx) =>
      options.once(tx, () => insertUpload(tx, upload, file.bytes, options)),
    );
    if (stored !== name) await discard(files, name);
    return stored;
  } catch (error) {
    // If the answer to COMMIT was lost, the row may exist, so the file is kept; housekeeping deletes it if there is no
    // row.
    if (error instanceof Problem || isUndone(error)) await discard(files, name);
    throw error;
  }
}

/** A failure is ignored, because housekeeping deletes the file later. */
const discard = (files: FileStore, name: string): Promise<void> => files.remove(name).catch(() => undefined);

async function insertUpload(
  tx: Db,
  { name, mime, image, originalName }: Upload,
  bytes: number,
  { service, settings }: StoreUploadOptions,
): Promise<string> {
  const { quotaBytes, serviceQuotaBytes } = toStorageLimits(settings);
  // Inserts wait for each other, so that two of them cannot use the same remaining space of the quota.
  await tx`select pg_advisory_xact_lock(hashtextextended('room for uploads', 0))`;
  const fits = await tx.value<boolean>`
    select coalesce(sum(bytes), 0) + ${bytes} <= ${quotaBytes}
      and coalesce(sum(bytes) filter (where service = ${service}), 0) + ${bytes} <= ${serviceQuotaBytes}
    from platform.upload_usage`;
  if (!fits) throw quotaExceeded();
  await tx`
    insert into platform.upload (name, service, mime, image, bytes, original_name)
    values (${name}, ${service}, ${mime}, ${image}, ${bytes}, ${originalName})`;
  return name;
}

export interface Upload {
  readonly name: string;
  readonly mime: string;
  readonly image: boolean;
  readonly originalName: string;
}

export const findUpload = (db: Db, service: string, name: string): Promise<Upload | undefined> =>
  db.first<Upload>`
    select name, mime, image, original_name as "originalName" from platform.upload
    where name = ${name} and service = ${service} and remove_at is null`;

export const listReferences = async (db: Db, service: string, name: string): Promise<string[]> =>
  db.values<string>`
    select record from platform.upload_hold where upload = ${name} and service = ${service}`;

export async function releaseUnclaimedUploads(pool: Pool): Promise<void> {
  await pool`
    update platform.upload set remove_at = now()
    where not claimed and remove_at is null and created_at < now() - interval '24 hours'`;
}

const removeBatchSize = 500;

/**
 * A backup takes this lock exclusively, and the deletion of released uploads takes it shared, so that the file of each
 * row in the backup still exists.
 */
export const removalLock = "hashtextextended('removal of files', 0)";

/**
 * Deletes each upload that is due for removal, its file before its row, so that the next run can complete an
 * interrupted deletion. Does nothing during a backup.
 */
export const removeReleasedUploads = (pool: Pool, files: FileStore): Promise<void> =>
  workIfFree(pool, ["lock_shared", removalLock], (session) => removeReleased(session, files));

async function workIfFree(
  pool: Pool,
  [kind, lock]: readonly ["lock" | "lock_shared", string],
  work: (session: Db) => Promise<void>,
): Promise<void> {
  const session = await pool.reserve();
  try {
    const [row] = await session.script<{ free: boolean }>(`select pg_try_advisory_${kind}(${lock}) as free`);
    if (row?.free !== true) return;
    try {
      await work(session);
    } finally {
      await session.script(`select pg_advisory_un${kind}(${lock})`);
    }
  } finally {
    session.release();
  }
}

async function removeReleased(db: Db, files: FileStore): Promise<void> {
  for (;;) {
    const released = await db.values<string>`
      select name from platform.upload where remove_at <= now() order by name limit ${removeBatchSize}`;
    if (released.length === 0) return;
    for (const name of released) await files.remove(name);
    await db`delete from platform.upload where remove_at <= now() and name = any(${released})`;
  }
}

// A row is committed soon after its file is stored, so a file this old without a row will never have one.
const orphanedAfterMs = 3_600_000;

/**
 * A transaction that stores files and commits their rows much later takes this lock shared, so that the files are not
 * deleted meanwhile.
 */
export const storingLock = "hashtextextended('files without rows', 0)";

export const removeOrphanFiles = (pool: Pool, files: FileStore): Promise<void> =>
  workIfFree(pool, ["lock", storingLock], async (session) => {
    for await (const names of files.listOlder(orphanedAfterMs)) {
      if (names.length === 0) continue;
      const known = new Set(await session.values<string>`select name from platform.upload where name = any(${names})`);
      for (const name of names) if (!known.has(name)) await files.remove(name);
    }
  });

// An upload is kept as long as a record references it. An upload that loses its last reference is released: from the
// commit on, the interface no longer serves it. Its file is deleted immediately, or after a day if the upload may be
// referenced again.

export const removeUploadsTask = "platform-remove-uploads";

/**
 * Makes a record, such as `loan/123` of a library, reference exactly these uploads. Uploads that lose their last
 * reference are deleted after a day. Returns the names for which the service has an upload.
 */
export async function referenceUploads(
  tx: Db,
  { service, record }: Readonly<Record<"service" | "record", string>>,
  names: readonly string[],
): Promise<string[]> {
  const before = await listReferenced(tx, service, [record]);
  if (names.length === 0 && before.length === 0) return [];
  const referenced = await lockUploads(tx, service, [...names, ...before]);
  const found = referenced.filter((name) => names.includes(name));
  const dropped = referenced.filter((name) => !names.includes(name));
  if (found.length > 0) {
    await tx.send`
      insert into platform.upload_hold (upload, service, record)
      select name, ${service}, ${record} from unnest(${found}::text[]) as name on conflict do nothing`;
    await tx.send`
      update platform.upload set claimed = true, remove_at = null
      where name = any(${found}) and (not claimed or remove_at is not null)`;
  }
  if (dropped.length > 0) await dropReferences(tx, { service, records: [record], removal: "afterADay" }, dropped);
  return found;
}

export interface Release {
  readonly service: string;
  readonly records: readonly string[];
  readonly removal: "atOnce" | "afterADay";
}

export async function releaseUploads(tx: Db, release: Release): Promise<void> {
  const referenced = await listReferenced(tx, release.service, release.records);
  if (referenced.length > 0) await dropReferences(tx, release, await lockUploads(tx, release.service, referenced));
}

const listReferenced = async (tx: Db, service: string, records: readonly string[]): Promise<string[]> =>
  tx.values<string>`
    select distinct upload as name from platform.upload_hold
    where service = ${service} and record = any(${records})`;

/**
 * Returns the names of existing uploads. Rows are locked in the order of their names, so that concurrent changes of
 * references cannot deadlock.
 */
const lockUploads = async (tx: Db, service: string, names: readonly string[]): Promise<string[]> =>
  tx.values<string>`
    select name from platform.upload
    where service = ${service} and name = any(${names}) and (remove_at is null or remove_at > clock_timestamp())
    order by name for update`;

async function dropReferences(tx: Db, { service, records, removal }: Release, names: readonly string[]): Promise<void> {
  await tx.send`
    delete from platform.upload_hold
    where service = ${service} and record = any(${records}) and upload = any(${names})`;
  // This is a separate statement, because only a statement that starts after the locks were granted sees the references
  // that other transactions committed.
  const released = await tx.count`
    update platform.upload set remove_at = now() + make_interval(days => ${removal === "atOnce" ? 0 : 1})
    where name = any(${names})
      and not exists (select from platform.upload_hold where upload_hold.upload = upload.name)`;
  if (released > 0 && removal === "atOnce") await addJob(tx, removeUploadsTask, {});
}
