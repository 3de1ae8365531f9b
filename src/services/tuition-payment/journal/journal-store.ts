import { type Db, startStatement, type Statement } from "#platform/database/index.ts";
import type { journalKinds } from "./contract.ts";

export interface JournalRow {
  /** The time in microseconds since 1970-01-01. */
  readonly at: number;
  readonly source: number;
  readonly id: number;
  readonly kind: (typeof journalKinds)[number];
  readonly channel: string;
  readonly fen: number;
  readonly orderNo: string | null;
  readonly tradeNo: string | null;
  readonly refundNo: string | null;
  readonly receiptNo: string | null;
  readonly adjustmentId: number | null;
  readonly payableId: number | null;
  readonly studentNo: string | null;
  readonly studentName: string | null;
  readonly evidence: string | null;
  readonly by: string | null;
}

export interface JournalFilter {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly kind?: JournalRow["kind"] | undefined;
  readonly channel?: string | undefined;
}

export type JournalPlace = Pick<JournalRow, "at" | "source" | "id">;

const adjusted = "(select sum(part)::bigint from unnest(item_fen) as part)";

// Money arrives or leaves through the ledger accounts `gateway` and `hand`; the other two accounts are tuition and
// surplus.
const sources = [
  {
    at: "at",
    from: "tuition_payment.ledger where account not in ('tuition', 'surplus')",
    columns: `case what when 'payment' then 'payment' else 'refund' end as kind,
      case account when 'gateway' then gateway else account end as channel, amount_fen as fen, order_id, refund_id,
      null::bigint as adjustment_id`,
  },
  {
    at: "made_at",
    from: "tuition_payment.adjustment where kind <> 'deferral'",
    columns: `'adjustment' as kind, kind as channel, ${adjusted} as fen, null::bigint as order_id,
      null::bigint as refund_id, id as adjustment_id`,
  },
  {
    at: "undone_at",
    from: "tuition_payment.adjustment where kind <> 'deferral' and undone_at is not null",
    columns: `'undone' as kind, kind as channel, -${adjusted} as fen, null::bigint as order_id,
      null::bigint as refund_id, id as adjustment_id`,
  },
] as const;

const toInstant = (place: string): string => `timestamptz 'epoch' + ${place}::bigint * interval '1 microsecond'`;

/** A page's limit is applied to each source, so that each source is read by its index. */
function writeLines(
  statement: Statement,
  { from, to, kind, channel }: JournalFilter,
  page?: { readonly limit: number; readonly after: JournalPlace | undefined },
): string {
  const parts = sources.map(({ at, from: table, columns }, source) => {
    const after = page?.after;
    const conditions = [
      ...(from === undefined ? [] : [`${at} >= ${statement.value(from)}`]),
      // Times in requests have no fractions of a second, so the whole last second is included.
      ...(to === undefined ? [] : [`${at} < ${statement.value(new Date(to.getTime() + 1000))}`]),
      ...(after === undefined ? [] : [isBehind(statement, at, source, after)]),
    ];
    const lines = `select ${at} as at, ${source} as source, id, ${columns} from ${[table, ...conditions].join(" and ")}`;
    const chosen = [
      ...(kind === undefined ? [] : [`kind = ${statement.value(kind)}`]),
      ...(channel === undefined ? [] : [`channel = ${statement.value(channel)}`]),
    ];
    const where = chosen.length === 0 ? "" : `where ${chosen.join(" and ")}`;
    const cut = page ? `order by at desc, id desc limit ${statement.value(page.limit)}` : "";
    return `(select * from (${lines}) as lines ${where} ${cut})`;
  });
  return parts.join(" union all ");
}

function isBehind(statement: Statement, at: string, source: number, after: JournalPlace): string {
  const instant = toInstant(statement.value(after.at));
  const place = `(${statement.value(after.source)}::int, ${statement.value(after.id)}::bigint)`;
  return `${at} <= ${instant} and (${at} < ${instant} or (${source}, id) < ${place})`;
}

const writeJournal = (lines: string): string => `
  select (extract(epoch from line.at) * 1000000)::bigint as at, line.source, line.id, line.kind, line.channel, line.fen,
    ordered.order_no as "orderNo", coalesce(refund.trade_no, case when refund.id is null then ordered.trade_no end) as "tradeNo",
    refund.refund_no as "refundNo", ordered.receipt_no as "receiptNo", made.id as "adjustmentId",
    made.payable_id as "payableId", coalesce(ordered.student_no, payable.student_no) as "studentNo",
    coalesce(ordered.student_name, payable.student_name) as "studentName", made.evidence,
    case when line.kind = 'undone' then made.undone_by else made.made_by end as "by"
  from (${lines}) as line
  left join tuition_payment.pay_order as ordered on ordered.id = line.order_id
  left join tuition_payment.refund on refund.id = line.refund_id
  left join tuition_payment.adjustment as made on made.id = line.adjustment_id
  left join tuition_payment.payable on payable.id = made.payable_id
  order by line.at desc, line.source desc, line.id desc`;

export async function listJournal(
  db: Db,
  filter: JournalFilter,
  page: { readonly limit: number; readonly after: JournalPlace | undefined },
): Promise<JournalRow[]> {
  const statement = startStatement();
  const text = writeJournal(writeLines(statement, filter, page));
  return statement.run<JournalRow>(db, `${text} limit ${statement.value(page.limit)}`);
}

export function streamJournal(db: Db, filter: JournalFilter): AsyncIterable<JournalRow[]> {
  const statement = startStatement();
  const text = writeJournal(writeLines(statement, filter));
  return statement.stream<JournalRow>(db, text, 500);
}

export interface BalanceRow {
  readonly date: string;
  readonly channel: string;
  readonly receivedFen: number;
  readonly returnedFen: number;
  readonly balanceFen: number;
}

export async function sumBalances(
  db: Db,
  zone: string,
  { startDate, endDate }: { startDate?: string | undefined; endDate?: string | undefined },
): Promise<BalanceRow[]> {
  const statement = startStatement();
  const lines = writeLines(statement, {});
  const place = statement.value(zone);
  return statement.run<BalanceRow>(
    db,
    `with asked as (select coalesce(${statement.value(endDate)}::date, (now() at time zone ${place})::date) as last),
     day as (
       select (at at time zone ${place})::date as date, channel,
         coalesce(sum(fen) filter (where fen > 0), 0)::bigint as received,
         coalesce(-sum(fen) filter (where fen < 0), 0)::bigint as returned
       from (${lines}) as line group by 1, 2),
     closed as (
       select *, sum(received - returned) over (partition by channel order by date)::bigint as balance from day)
     select to_char(date, 'YYYY-MM-DD') as date, channel, received as "receivedFen", returned as "returnedFen",
       balance as "balanceFen"
     from closed, asked
     where date <= last and date >= coalesce(${statement.value(startDate)}::date, last - 30)
     order by closed.date desc, channel`,
  );
}
