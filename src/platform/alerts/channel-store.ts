import {
  column,
  compileInsert,
  type Counted,
  type Db,
  setGiven,
  sql,
  writeSelected,
} from "#platform/database/index.ts";
import type { ListOrder } from "#platform/contract/sorting.ts";
import type { Channel } from "./model.ts";
import { openSecrets, sealSecrets } from "./sealed.ts";

export interface StoredChannel extends Channel {
  readonly createdAt: Date;
  readonly toldAt: Date | null;
  readonly failures: number;
  readonly failingSince: Date | null;
  /** In words of ours. */
  readonly failure: string | null;
}

const given = {
  name: column<string>("name"),
  kind: column<Channel["kind"]>("kind"),
  address: column<string>("address"),
  secret: column<string>("secret"),
  conditions: column<readonly string[] | null>("conditions"),
  language: column<Channel["language"]>("language"),
  enabled: column<boolean>("enabled"),
};

const columns = {
  id: column<number>("id"),
  ...given,
  createdAt: column<Date>("created_at"),
  toldAt: column<Date | null>("told_at"),
  failures: column<number>("failures"),
  failingSince: column<Date | null>("failing_since"),
  failure: column<string | null>("failure"),
};

const selected = sql.raw(writeSelected(columns));

export type ChannelField = "id" | "name" | "kind" | "createTime" | "toldTime";

const sortColumns: Readonly<Record<ChannelField, string>> = {
  id: columns.id,
  name: columns.name,
  kind: columns.kind,
  createTime: columns.createdAt,
  toldTime: columns.toldAt,
};

export async function listChannels(db: Db, order: ListOrder<ChannelField>): Promise<Counted<StoredChannel>> {
  const direction = order.descending ? sql`desc` : sql`asc`;
  const rows = await db<StoredChannel[]>`
    select ${selected} from platform.alert_channel
    order by ${sql.raw(sortColumns[order.field])} ${direction}, id ${direction} limit ${order.limit} offset ${order.offset}`;
  const [count] = await db<{ count: number }[]>`select count(*) as count from platform.alert_channel`;
  return { rows: rows.map((row) => openSecrets(db.keys, row)), totalCount: count?.count ?? 0 };
}

export async function findChannel(db: Db, id: number): Promise<StoredChannel | undefined> {
  const [row] = await db<StoredChannel[]>`select ${selected} from platform.alert_channel where id = ${id}`;
  return row && openSecrets(db.keys, row);
}

/** The same, held until the transaction ends; not against rows that name it, which others may be writing for all channels. */
export async function lockChannel(tx: Db, id: number): Promise<StoredChannel | undefined> {
  const [row] = await tx<
    StoredChannel[]
  >`select ${selected} from platform.alert_channel where id = ${id} for no key update`;
  return row && openSecrets(tx.keys, row);
}

const insert = compileInsert("platform.alert_channel", given);

export const insertChannel = (tx: Db, channel: NewChannel): Promise<number> =>
  insert(tx, sealSecrets(tx.keys, channel));

type NewChannel = { readonly [F in keyof typeof given]: Channel[F] };

export type ChannelChange = { readonly [F in keyof typeof given]?: Channel[F] | undefined };

/** What is left out stays; `conditions: null` is all of them. A channel that is switched off owes nothing any more. */
export async function updateChannel(tx: Db, id: number, { conditions, ...change }: ChannelChange): Promise<void> {
  await tx`update platform.alert_channel set ${setGiven(given, sealSecrets(tx.keys, change))} where id = ${id}`;
  if (conditions !== undefined)
    await tx`update platform.alert_channel set conditions = ${conditions && [...conditions]}::text[] where id = ${id}`;
  if (change.enabled === false) await tx`delete from platform.alert_telling where channel_id = ${id} and not done`;
}

export async function deleteChannels(tx: Db, ids: readonly number[]): Promise<Pick<Channel, "id" | "name">[]> {
  return tx<Pick<Channel, "id" | "name">[]>`
    delete from platform.alert_channel where id = any(${[...ids]}) returning id, name`;
}

/** Since when channels that are used cannot be reached, the longest first. */
export async function listFailingChannels(db: Db): Promise<Pick<StoredChannel, "id" | "name" | "failingSince">[]> {
  return db<Pick<StoredChannel, "id" | "name" | "failingSince">[]>`
    select id, name, failing_since as "failingSince" from platform.alert_channel
    where enabled and failing_since is not null order by failing_since, id`;
}
