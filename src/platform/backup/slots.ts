import type { Connection } from "#platform/database/index.ts";

// The slot of a backup that is followed keeps the log from its end on. No backup holds slots: a cluster that was restored has
// none, and follows none of the backups that were made before.

const prefix = "quintet_log_";

export const slotOf = (id: string): string => prefix + id.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Where the log begins that a slot keeps; undefined when there is no such slot, or PostgreSQL has let go of it. */
export async function readSlot(session: Connection, name: string): Promise<string | undefined> {
  const { rows } = await session.query<{ at: string | null }>(
    "select restart_lsn::text as at from pg_replication_slots where slot_name = $1 and wal_status <> 'lost'",
    [name],
  );
  return rows[0]?.at ?? undefined;
}

/** Makes a slot that keeps the log from now on. One that does not outlive the session is of a backup that nobody follows. */
export async function makeSlot(session: Connection, name: string, kept: boolean): Promise<void> {
  await session.query("select pg_create_physical_replication_slot($1, true, $2)", [name, !kept]);
}

/** Drops those of our slots that fit: of backups that were replaced, or cut off. */
export async function dropSlots(session: Connection, fits: (name: string) => boolean): Promise<void> {
  const { rows } = await session.query<{ name: string }>(
    `select slot_name as name from pg_replication_slots where slot_name like '${prefix}%' and not active and not temporary`,
  );
  for (const { name } of rows.filter((row) => fits(row.name)))
    await session.query("select pg_drop_replication_slot($1)", [name]);
}
