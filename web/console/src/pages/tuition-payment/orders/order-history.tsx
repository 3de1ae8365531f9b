import { Skeleton } from "antd";
import { type ReactNode, useEffect, useRef } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { Failure } from "#console/blocks/failure.tsx";
import type { Column } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { Timeline, TimelineItem } from "#console/blocks/timeline.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { formatAmount } from "#console/pages/tuition-payment/payable.tsx";
import {
  everyMs,
  isUnderWay,
  listItems,
  type Order,
  type OrderDetail,
  type OrderItem,
  orderTones,
  sumItems,
} from "#console/pages/tuition-payment/orders/order.tsx";
import { RefundSteps } from "#console/pages/tuition-payment/orders/refund-steps.tsx";
import { type OrderTexts, useOrderTexts as useTexts } from "#console/pages/tuition-payment/texts.ts";
import { joinWords } from "#console/blocks/format.ts";
import { Status } from "#console/blocks/status.tsx";
import { formatFen, toFen } from "#shared/money.ts";
import "#console/pages/tuition-payment/orders/orders.css";

type Events = OrderDetail["events"];
export type History = DataOf<typeof tuitionPayment.readOrderHistory>;
export type RefundWords = History["refunds"][number];

export function OrderEvents({ events }: { readonly events: Events }) {
  const t = useTexts();
  return (
    <Timeline title={t.history}>
      {events.map((event, index) => (
        // Events are append-only and may share a second, so the index is the key.
        // oxlint-disable-next-line react/no-array-index-key
        <TimelineItem key={index} tone={orderTones[event.to]} about={`${event.time} · ${nameOf(t.by, event.by)}`}>
          {describe(event, t)}
        </TimelineItem>
      ))}
    </Timeline>
  );
}

function describe({ from, to }: Events[number], t: OrderTexts): string {
  if (from === null) return t.madeAs(t.statuses[to]);
  return from === "refunding" && to === "paid" ? t.staysPaid : t.becomes(t.statuses[to]);
}

export function useOrderHistory(orderNo: string, order: OrderDetail | undefined) {
  const isWatched = order !== undefined && isUnderWay(order.status);
  return useRead(
    tuitionPayment.readOrderHistory,
    { params: { orderNo } },
    { enabled: order !== undefined, everyMs: isWatched ? everyMs : undefined },
  );
}

export function OrderRecords({ order }: { readonly order: OrderDetail }) {
  const { data, error, refetch } = useOrderHistory(order.orderNo, order);
  const count = order.events.length;
  const seen = useRef(count);
  useEffect(() => {
    if (seen.current === count) return;
    seen.current = count;
    void refetch();
  }, [count, refetch]);
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active className="q-tuition-part" />;
  return (
    <>
      <Calls calls={data.calls} />
      <Notices notices={data.notices} />
      <Ledger lines={data.ledger} />
    </>
  );
}

interface PartProps<R extends object> {
  readonly title: string;
  readonly about?: string;
  readonly rows: readonly R[];
  readonly columns: readonly Column<R>[];
  readonly none: ReactNode;
}

function Part<R extends object>({ title, about, rows, columns, none }: PartProps<R>) {
  const keyed = new Map(rows.map((row, index) => [row, index]));
  return (
    <section aria-label={title} className="q-tuition-part">
      <h2>{title}</h2>
      {about !== undefined && <p className="q-soft">{about}</p>}
      {rows.length === 0 ? (
        <p className="q-soft">{none}</p>
      ) : (
        <Records<R> density="small" rowKey={(row) => keyed.get(row) ?? ""} rows={rows} columns={columns} empty={null} />
      )}
    </section>
  );
}

function Calls({ calls }: { readonly calls: History["calls"] }) {
  const t = useTexts();
  const columns: Column<History["calls"][number]>[] = [
    { field: "call", title: t.call, width: 110, render: ({ call }) => t.callNames[call] },
    { field: "time", title: t.time, width: 165 },
    { field: "endTime", title: t.took, width: 165, render: ({ endTime }) => endTime ?? t.noAnswer },
    {
      field: "outcome",
      title: t.outcome,
      width: 200,
      wraps: true,
      render: ({ outcome }) => (outcome === null ? "" : nameOf(t.outcomes, outcome)),
    },
  ];
  return <Part title={t.calls} rows={calls} columns={columns} none={t.noCalls} />;
}

function Notices({ notices }: { readonly notices: History["notices"] }) {
  const t = useTexts();
  const columns: Column<History["notices"][number]>[] = [
    {
      field: "outcome",
      title: t.outcome,
      width: 140,
      wraps: true,
      render: ({ outcome }) => nameOf(t.noticeOutcomes, outcome),
    },
    { field: "time", title: t.time, width: 165 },
    { field: "times", title: t.times, width: 70, align: "right" },
    {
      field: "message",
      title: t.message,
      width: 265,
      wraps: true,
      render: ({ message }) => (
        <details className="q-order-message">
          <summary>{t.showMessage}</summary>
          <code>{message}</code>
        </details>
      ),
    },
  ];
  return <Part title={t.notices} rows={notices} columns={columns} none={t.noNotices} />;
}

function Ledger({ lines }: { readonly lines: History["ledger"] }) {
  const t = useTexts();
  const columns: Column<History["ledger"][number]>[] = [
    { field: "what", title: t.what, width: 100, render: ({ what }) => t.whats[what] },
    { field: "posting", title: t.posting, width: 90, align: "right" },
    { field: "time", title: t.time, width: 165 },
    { field: "account", title: t.account, width: 155, render: ({ account }) => t.accounts[account] },
    { field: "amount", title: t.amount, width: 130, align: "right", render: ({ amount }) => formatAmount(amount) },
  ];
  return <Part title={t.ledger} about={t.ledgerAbout} rows={lines} columns={columns} none={t.noLedger} />;
}

export function OrderItems({ order }: { readonly order: Order }) {
  const t = useTexts();
  const items = listItems(order);
  const state: Column<OrderItem> = {
    title: t.itemState,
    field: "refund",
    width: 110,
    render: ({ refund }) => <Refunded refund={refund} />,
  };
  return (
    <section aria-label={t.items} className="q-tuition-part">
      <h2>{t.items}</h2>
      <Records<OrderItem>
        density="small"
        rowKey={({ key }) => key}
        rows={items}
        empty={null}
        pageSize={100}
        columns={[
          { title: t.item, field: "name", width: 200, wraps: true },
          { title: t.years, field: "years", width: 100 },
          {
            title: t.amount,
            field: "amountFen",
            width: 130,
            align: "right",
            render: ({ amountFen }) => formatFen(amountFen).slice(1),
          },
          ...(items.some(({ refund }) => refund !== undefined) ? [state] : []),
        ]}
      />
      <p className="q-order-total">
        {t.total} <strong className="q-figures">{formatFen(sumItems(items))}</strong>
      </p>
    </section>
  );
}

const refundTones = {
  asked: "warning",
  running: "processing",
  done: "success",
  failed: "error",
  refused: "default",
} as const;

function Refunded({ refund }: Pick<OrderItem, "refund">) {
  const t = useTexts();
  if (refund === undefined) return <span className="q-soft">{t.itemStates.kept}</span>;
  return <Status tone={refundTones[refund]}>{t.itemStates[refund]}</Status>;
}

interface OrderRefundsProps {
  readonly order: Order;
  readonly words: readonly RefundWords[] | undefined;
  readonly isReadOnly?: boolean;
}

export function OrderRefunds({ order, words, isReadOnly = false }: OrderRefundsProps) {
  const t = useTexts();
  return (
    <Timeline title={t.refunds}>
      {order.refunds.map((refund) => {
        const { refundNo, amount, items, reason, status, time } = refund;
        const word = words?.find((one) => one.refundNo === refundNo);
        const waits = status === "asked" || (status === "failed" && word?.endedBy === null);
        return (
          <TimelineItem
            key={refundNo}
            tone={refundTones[status]}
            about={
              <>
                {time}
                {" · "}
                <span className="q-order-number">{refundNo}</span>
              </>
            }
          >
            {t.refundStatuses[status]} <strong className="q-figures">{formatFen(toFen(amount))}</strong>
            {items.length > 0 && <div>{t.refundItems(joinWords(items.map(({ name }) => name)))}</div>}
            <div className="q-value">{t.refundReason(reason)}</div>
            {word && <RefundSaid status={status} word={word} />}
            {waits && word && !isReadOnly && <RefundSteps order={order} refund={refund} askedBy={word.by} />}
          </TimelineItem>
        );
      })}
    </Timeline>
  );
}

interface RefundSaidProps {
  readonly status: keyof typeof refundTones;
  readonly word: RefundWords;
}

function RefundSaid({ status, word: { by, decidedBy, endedBy, failure, evidence } }: RefundSaidProps) {
  const t = useTexts();
  const people = [by !== null && t.refundBy(by), decidedBy !== null && t.refundDecidedBy(decidedBy)];
  return (
    <>
      {people.some(Boolean) && <div className="q-soft">{joinWords(people.filter((told) => told !== false))}</div>}
      {failure !== null && status !== "done" && (
        <div>
          <Status tone={status === "running" ? "warning" : "error"}>
            {status === "running" ? t.refundFailure(failure) : failure}
          </Status>
        </div>
      )}
      {endedBy !== null && status === "failed" && <div>{t.refundEndedBy(endedBy)}</div>}
      {evidence !== null && <div className="q-value">{t.refundEvidence(evidence)}</div>}
    </>
  );
}

/** A word without a label, such as a user name, is shown as it is. */
const nameOf = (names: Readonly<Record<string, string>>, word: string): string =>
  (Object.hasOwn(names, word) && names[word]) || word;
