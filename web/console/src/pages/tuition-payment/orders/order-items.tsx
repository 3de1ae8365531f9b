import { Records } from "#console/blocks/list-page/records.tsx";
import { joinWords } from "#console/blocks/format.ts";
import { Status } from "#console/blocks/status.tsx";
import { Timeline, TimelineItem } from "#console/blocks/timeline.tsx";
import { useTexts } from "#shared/language/language.ts";
import type { History } from "#console/pages/tuition-payment/orders/order-history.tsx";
import { listItems, type Order, type OrderItem, sumItems } from "#console/pages/tuition-payment/orders/order.tsx";
import { texts } from "#console/pages/tuition-payment/orders/texts.ts";
import { formatFen, toFen } from "#shared/money.ts";

/** What an order is for, item by item. */
export function OrderItems({ order }: { readonly order: Order }) {
  const t = useTexts(texts);
  const items = listItems(order);
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
          { title: t.itemState, field: "refund", width: 110, render: ({ refund }) => <Refunded refund={refund} /> },
        ]}
      />
      <p className="q-order-total">
        {t.total} <strong className="q-figures">{formatFen(sumItems(items))}</strong>
      </p>
    </section>
  );
}

function Refunded({ refund }: Pick<OrderItem, "refund">) {
  const t = useTexts(texts);
  if (refund === undefined) return <span className="q-soft">{t.itemStates.kept}</span>;
  return <Status tone={refund === "running" ? "processing" : "default"}>{t.itemStates[refund]}</Status>;
}

interface OrderRefundsProps extends Pick<Order, "refunds"> {
  /** What the gateway said of them, when it is known. */
  readonly words: History["refunds"] | undefined;
}

/** What was given back, or is to be, and why; and why it is not yet. */
export function OrderRefunds({ refunds, words }: OrderRefundsProps) {
  const t = useTexts(texts);
  const failureOf = (refundNo: string) => words?.find((word) => word.refundNo === refundNo)?.failure ?? undefined;
  const describe = (failure: string | undefined) =>
    failure !== undefined && (
      <div>
        <Status tone="warning">{t.refundFailure(failure)}</Status>
      </div>
    );
  return (
    <Timeline title={t.refunds}>
      {refunds.map(({ refundNo, amount, items, reason, status, time }) => (
        <TimelineItem
          key={refundNo}
          tone={status === "done" ? "success" : "processing"}
          about={
            <>
              {time}
              {" · "}
              <span className="q-order-number">{refundNo}</span>
            </>
          }
        >
          {t.refundStatuses[status]} <strong className="q-figures">{formatFen(toFen(amount))}</strong>
          <div>{t.refundItems(joinWords(items.map(({ name }) => name)))}</div>
          <div className="q-value">{t.refundReason(reason)}</div>
          {describe(failureOf(refundNo))}
        </TimelineItem>
      ))}
    </Timeline>
  );
}
