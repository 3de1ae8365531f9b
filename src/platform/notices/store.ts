import { hash } from "node:crypto";
import * as z from "zod";
import type { Range } from "#platform/contract/sorting.ts";
import type { Timed } from "#platform/contract/times.ts";
import { type PageWithTotal, type Db, type Fragment, inTransaction, type Pool, sql } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Addresses, NamedNotice, Notice, NoticeFields } from "#platform/process/notice.ts";
import { type RetainedRecords, retainRows } from "#platform/process/removal.ts";
import type { SealedColumn } from "#platform/sealing/keyring.ts";
import { addressOf, openWriters, type Outcome } from "./channels.ts";
import { type NoticeChannel, noticeChannels, type NoticeRecord } from "./contract.ts";
import { maskAddress } from "./words.ts";

const contentColumn: SealedColumn = { table: "platform.notice", key: { id: "bigint" }, column: "content" };
const contactColumn: SealedColumn = {
  table: "platform.notice_contact",
  key: { account_id: "bigint" },
  column: "addresses",
};
export const sealedNotices: readonly SealedColumn[] = [contentColumn, contactColumn];

const contentBinding = "platform.notice.content";
const contactBinding = "platform.notice_contact.addresses";

const text = z.string().optional();
const addresses = z.object({ mail: text, userId: text, openId: text, phone: text });
const content = z.object({ to: z.string(), fields: z.record(z.string(), z.string()) });

const toHash = (...parts: readonly string[]): string => hash("sha256", JSON.stringify(parts)).slice(0, 32);
export const hashPerson = (service: string, person: string): string => toHash(service, person);

export async function readOrder(db: Db): Promise<readonly NoticeChannel[]> {
  const [row] = await db<{ channels: NoticeChannel[] }[]>`select channels from platform.notice_order`;
  return [...new Set([...(row?.channels ?? []), ...noticeChannels])];
}

export const listEnabledKinds = async (db: Db): Promise<{ kind: string; sought: string; soughtAt: Date }[]> =>
  db<{ kind: string; sought: string; soughtAt: Date }[]>`
    select kind, sought, sought_at as "soughtAt" from platform.notice_kind order by kind`;

export const markCollected = async (db: Db, kind: string, sought: string, at: Date): Promise<unknown> =>
  db.send`update platform.notice_kind set sought = ${sought}, sought_at = ${at} where kind = ${kind}`;

/**
 * In the caller's transaction, queues each notice for the first channel that can reach the person, or stores it as
 * unreachable if there is none. Stores nothing if the kind is disabled or the person opted out.
 */
export async function queueNotices(
  tx: Db,
  settings: Settings,
  { id: kind, service, gather }: NamedNotice,
  notices: readonly Notice[],
  at: Date,
): Promise<void> {
  // Disabling the kind waits for this lock, and then deletes the notices queued here too.
  const isOn = await tx.count`select from platform.notice_kind where kind = ${kind} for share`;
  if (isOn === 0 || notices.length === 0) return;
  const writers = openWriters(settings);
  const order = (await readOrder(tx)).filter((channel) => writers.get(channel)?.supports(kind));
  const rows = notices.map(({ key, person, to, fields }) => {
    const channel = order.find((one) => to[addressOf[one]]);
    const address = (channel && to[addressOf[channel]]) ?? "";
    const kept = channel ? tx.keys.seal(contentBinding, JSON.stringify({ to: address, fields })) : null;
    return { key: toHash(key), person: hashPerson(service, person), channel: channel ?? "", address, kept };
  });
  const dueAt = new Date(at.getTime() + (gather?.minutes ?? 0) * 60_000);
  await tx.send`
    insert into platform.notice (kind, key_hash, person_hash, content, channel, whom, state, error, created_at, due_at, state_at)
    select ${kind}, key, case when content is not null then person end, content, channel, whom,
      case when content is null then 'unreachable' else 'waiting' end,
      case when content is null then 'no channel can reach the person' end, ${at}, ${dueAt}, ${at}
    from unnest(${rows.map(({ key }) => key)}::text[], ${rows.map(({ person }) => person)}::text[],
      ${rows.map(({ kept }) => kept)}::text[], ${rows.map(({ channel }) => channel)}::text[],
      ${rows.map(({ address }) => maskAddress(address))}::text[]) as told (key, person, content, channel, whom)
    where not exists (
      select from platform.notice_refusal as refusal where refusal.service = ${service} and refusal.person_hash = person)
    on conflict (kind, key_hash) do nothing`;
}

export interface Due {
  readonly id: number;
  readonly ids: readonly number[];
  readonly kind: string;
  readonly to: string;
  readonly fields: NoticeFields;
}

interface DueRow {
  readonly id: number;
  readonly kind: string;
  readonly personHash: string;
  readonly content: string;
}

const maxGathered = 1000;

/**
 * Marks notices as `sending` before any is sent, so that none is sent twice even if the process is killed. If a kind
 * gathers notices, one message includes the kind's other notices that are waiting for the person, up to `maxGathered`
 * for all messages.
 */
export const claimDue = (
  pool: Pool,
  { channel, at, most, gathering }: { channel: NoticeChannel; at: Date; most: number; gathering: readonly string[] },
): Promise<Due[]> =>
  inTransaction(pool, async (tx) => {
    const rows = await tx<DueRow[]>`
      update platform.notice set state = 'sending', state_at = ${at} where id = any(array(
        select id from platform.notice where state = 'waiting' and channel = ${channel} and due_at <= ${at}
        order by due_at, id limit ${most} for update skip locked))
      returning id, kind, person_hash as "personHash", content`;
    const gathered = rows.filter(({ kind }) => gathering.includes(kind));
    const more =
      gathered.length === 0
        ? []
        : await tx<Omit<DueRow, "content">[]>`
      update platform.notice set state = 'sending', state_at = ${at} where id = any(array(
        select notice.id from platform.notice join (
          select distinct * from unnest(${gathered.map(({ kind }) => kind)}::text[],
            ${gathered.map(({ personHash }) => personHash)}::text[]) as led (kind, person_hash)) as led using (kind, person_hash)
        where state = 'waiting' and channel = ${channel} limit ${maxGathered} for update of notice skip locked))
      returning id, kind, person_hash as "personHash"`;
    const messages = Map.groupBy(
      rows.toSorted((one, other) => one.id - other.id),
      ({ id, kind, personHash }) => (gathering.includes(kind) ? `${kind} ${personHash}` : String(id)),
    );
    return [...messages].flatMap(([together, [first, ...rest]]): Due[] => {
      if (!first) return [];
      const others = more.filter(({ kind, personHash }) => `${kind} ${personHash}` === together);
      const { to, fields } = content.parse(JSON.parse(tx.keys.open(contentBinding, first.content)));
      return [{ id: first.id, ids: [first, ...rest, ...others].map(({ id }) => id), kind: first.kind, to, fields }];
    });
  });

const clearPersonal = sql`content = null, person_hash = null`;
const maxBackoffMinutes = 1440;

/**
 * If the channel is down, notices keep their due time and wait for the channel; if the outcome is `later`, they become
 * due later, with exponential backoff.
 */
export async function recordOutcomes(
  tx: Db,
  outcomes: readonly (Outcome & { readonly ids: readonly number[] })[],
  at: Date,
) {
  const rows = outcomes.flatMap(({ ids, state, error }) => ids.map((id) => ({ id, state, error })));
  const told = sql`unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ state }) => state)}::text[],
    ${rows.map(({ error }) => error)}::text[]) as told (id, outcome, why)`;
  await tx.send`
    update platform.notice set state = outcome, error = why, state_at = ${at}, ${clearPersonal}
    from ${told} where notice.id = told.id and outcome not in ('later', 'down') and state in ('sending', 'unknown')`;
  await tx.send`
    update platform.notice set state = 'waiting', error = why, state_at = ${at}, attempts = attempts + (outcome = 'later')::int,
      due_at = case outcome when 'down' then due_at else ${at}::timestamptz + make_interval(mins => least(${maxBackoffMinutes}, 2 ^ attempts)::int) end
    from ${told} where notice.id = told.id and outcome in ('later', 'down') and state = 'sending'`;
}

export const pauseChannel = async (tx: Db, channel: NoticeChannel, at: Date): Promise<unknown> =>
  tx.send`
    insert into platform.notice_pause as pause (channel, failures, until)
    values (${channel}, 1, ${at}::timestamptz + interval '1 minute')
    on conflict (channel) do update set failures = least(pause.failures + 1, 30),
      until = ${at}::timestamptz + make_interval(mins => least(${maxBackoffMinutes}, 2 ^ pause.failures)::int)`;

export const resumeChannel = async (tx: Db, channel: NoticeChannel): Promise<unknown> =>
  tx.send`delete from platform.notice_pause where channel = ${channel}`;

export const listDueChannels = (db: Db, at: Date): Promise<NoticeChannel[]> =>
  db.values<NoticeChannel>`
    select channel from unnest(${[...noticeChannels]}::text[]) as channel
    where exists (select from platform.notice where notice.channel = channel.channel and state = 'waiting' and due_at <= ${at})
      and not exists (select from platform.notice_pause as pause where pause.channel = channel.channel and until > ${at})`;

// No delivery takes this long, so the process that sent the notice no longer exists.
const lostMinutes = 5;
const expiredDays = 7;

/** Marks interrupted deliveries as unknown, and notices that have waited for a week as expired. */
export async function expireStale(db: Db, at: Date): Promise<void> {
  await db.send`
    update platform.notice set state = 'unknown', error = 'the process ended during delivery', state_at = ${at}, ${clearPersonal}
    where state = 'sending' and state_at < ${at}::timestamptz - make_interval(mins => ${lostMinutes})`;
  await db.send`
    update platform.notice set state = 'expired', error = coalesce(error, 'undeliverable for a week'), state_at = ${at}, ${clearPersonal}
    where state = 'waiting' and created_at < ${at}::timestamptz - make_interval(days => ${expiredDays})`;
}

export const retainedNotices: RetainedRecords = retainRows({
  kind: "notice",
  setting: "NOTICE_KEEP_DAYS",
  table: sql`platform.notice`,
  isOld: (since) => sql`created_at < ${since} and state not in ('waiting', 'sending')`,
  remove: (tx, ids) => tx.send`delete from platform.notice where id = any(${ids})`,
});

export interface StoredNotice extends Timed<Omit<NoticeRecord, "title" | "channel">> {
  readonly channel: NoticeChannel | "";
}

export async function listNotices(
  db: Db,
  filter: { kind?: string | undefined; state?: string | undefined; channel?: string | undefined },
  services: readonly string[] | null,
  { limit, offset }: Range,
): Promise<PageWithTotal<StoredNotice>> {
  const conditions: Fragment[] = [sql`true`];
  if (services !== null) conditions.push(sql`split_part(kind, '.', 1) = any(${services})`);
  if (filter.kind !== undefined) conditions.push(sql`kind = ${filter.kind}`);
  if (filter.state !== undefined) conditions.push(sql`state = ${filter.state}`);
  if (filter.channel !== undefined) conditions.push(sql`channel = ${filter.channel}`);
  const where = sql.join(conditions, " and ");
  const rows = await db<StoredNotice[]>`
    select id, kind, channel, whom, state, error, created_at as "createTime", state_at as "stateTime"
    from platform.notice where ${where} order by id desc limit ${limit} offset ${offset}`;
  return { rows, totalCount: await db.value<number>`select count(*) from platform.notice where ${where}` };
}

export async function switchKinds(
  tx: Db,
  kinds: readonly { id: string; isOn: boolean; sought: string }[],
  at: Date,
): Promise<void> {
  const off = kinds.filter(({ isOn }) => !isOn).map(({ id }) => id);
  await tx`delete from platform.notice_kind where kind = any(${off})`;
  await tx`delete from platform.notice where kind = any(${off}) and state = 'waiting'`;
  const on = kinds.filter(({ isOn }) => isOn);
  await tx`
    insert into platform.notice_kind (kind, sought, sought_at)
    select kind, sought, ${at} from unnest(${on.map(({ id }) => id)}::text[], ${on.map(({ sought }) => sought)}::text[])
      as given (kind, sought) on conflict do nothing`;
}

export const storeOrder = async (tx: Db, channels: readonly NoticeChannel[]): Promise<unknown> =>
  tx`insert into platform.notice_order (only_row, channels) values (true, ${[...channels]})
    on conflict (only_row) do update set channels = excluded.channels`;

export interface Contact {
  readonly mail: string;
  readonly userId: string;
  readonly phone: string;
  readonly told: boolean;
}

export const openAddresses = (db: Db, stored: string): Addresses =>
  addresses.parse(JSON.parse(db.keys.open(contactBinding, stored)));

export async function findContact(db: Db, accountId: number): Promise<Contact> {
  const [row] = await db<{ addresses: string; told: boolean }[]>`
    select addresses, told from platform.notice_contact where account_id = ${accountId}`;
  const { mail = "", userId = "", phone = "" } = row ? openAddresses(db, row.addresses) : {};
  return { mail, userId, phone, told: row?.told ?? true };
}

export async function storeContact(tx: Db, accountId: number, { told, ...given }: Contact): Promise<void> {
  const stored = tx.keys.seal(contactBinding, JSON.stringify(given));
  await tx`
    insert into platform.notice_contact (account_id, addresses, told) values (${accountId}, ${stored}, ${told})
    on conflict (account_id) do update set addresses = excluded.addresses, told = excluded.told`;
}

interface ReachableRow {
  readonly accountId: number;
  readonly rights: readonly string[] | null;
  readonly scope: Readonly<Record<string, readonly string[]>> | null;
  readonly addresses: string;
}

export async function listReachable(db: Db, service: string) {
  const rows = await db<ReachableRow[]>`
    select account_id as "accountId", rights, scope, addresses
    from platform.notice_contact join platform.account on account.id = account_id
    where told and enabled and (service = ${service} or (service = 'platform' and (services is null or ${service} = any(services))))
    order by account_id`;
  return rows.map(({ rights, addresses: stored, ...row }) => ({
    ...row,
    may: (right: string) => rights === null || rights.includes(`${service}.${right}`),
    to: openAddresses(db, stored),
  }));
}
