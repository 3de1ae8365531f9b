import type { Db } from "#platform/database/index.ts";
import { addJob } from "#platform/jobs/runner.ts";

// An upload stays as long as a record holds it. What none holds any more is released: it is not served from the commit
// on, and its file goes. Where a record may be made anew with what another has let go of, the file waits for a day.

export const removeUploadsTask = "platform-remove-uploads";

/** A record that names uploads, such as `loan/123` of a library. */
export interface Holder {
  readonly service: string;
  readonly record: string;
}

export type Removal = "atOnce" | "afterADay";

/**
 * Has a record hold these uploads and no others; what only it held goes after a day. Returns those of the names that are
 * uploads of the service.
 */
export async function holdUploads(tx: Db, { service, record }: Holder, names: readonly string[]): Promise<string[]> {
  const before = await listHeld(tx, service, [record]);
  if (names.length === 0 && before.length === 0) return [];
  const held = await lockUploads(tx, service, [...names, ...before]);
  const found = held.filter((name) => names.includes(name));
  const left = held.filter((name) => !names.includes(name));
  if (found.length > 0) {
    await tx.send`
      insert into platform.upload_hold (upload, service, record)
      select name, ${service}, ${record} from unnest(${found}::text[]) as name on conflict do nothing`;
    await tx.send`
      update platform.upload set claimed = true, remove_at = null
      where name = any(${found}) and (not claimed or remove_at is not null)`;
  }
  if (left.length > 0) await letGo(tx, { service, records: [record], removal: "afterADay" }, left);
  return found;
}

/** Records that are no more, of one service, and when the files go that only they held. */
export interface Release {
  readonly service: string;
  readonly records: readonly string[];
  readonly removal: Removal;
}

/** Has records that are no more hold nothing. */
export async function releaseUploads(tx: Db, release: Release): Promise<void> {
  const held = await listHeld(tx, release.service, release.records);
  if (held.length > 0) await letGo(tx, release, await lockUploads(tx, release.service, held));
}

async function listHeld(tx: Db, service: string, records: readonly string[]): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select distinct upload as name from platform.upload_hold
    where service = ${service} and record = any(${records})`;
  return rows.map(({ name }) => name);
}

/** Those that are there, which nobody else can hold or let go until the transaction ends; locked in one order. */
async function lockUploads(tx: Db, service: string, names: readonly string[]): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select name from platform.upload
    where service = ${service} and name = any(${names}) and (remove_at is null or remove_at > now())
    order by name for update`;
  return rows.map(({ name }) => name);
}

async function letGo(tx: Db, { service, records, removal }: Release, names: readonly string[]): Promise<void> {
  await tx.send`
    delete from platform.upload_hold
    where service = ${service} and record = any(${records}) and upload = any(${names})`;
  // A statement of its own, which sees what others held before their locks ended.
  const released = await tx`
    update platform.upload set remove_at = now() + make_interval(days => ${removal === "atOnce" ? 0 : 1})
    where name = any(${names})
      and not exists (select from platform.upload_hold where upload_hold.upload = upload.name)
    returning 1`;
  if (released.length > 0 && removal === "atOnce") await addJob(tx, removeUploadsTask, {});
}
