import { useReading } from "#shared/call/use-reading.ts";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { formatFen, toFen } from "#shared/money.ts";
import { FeedbackText } from "#public/tuition/feedback-text.tsx";
import { OrderCard } from "#public/tuition/orders-page.tsx";
import { ask } from "#public/tuition/student.ts";
import { useTexts } from "#public/tuition/texts.ts";

type Account = DataOf<typeof tuitionPayment.readOwnAccount>;

const show = (yuan: number): string => formatFen(toFen(yuan));

export function AccountPage() {
  const { data, failure, retry } = useReading("account", (signal) =>
    ask(tuitionPayment.readOwnAccount, {}, { signal }),
  );
  return (
    <>
      {failure && <Failed failure={failure} retry={retry} />}
      {data ? <Present account={data} /> : !failure && <Waiting />}
    </>
  );
}

function Present({ account }: { readonly account: Account }) {
  const t = useTexts();
  const { payables, orders, feedback } = account;
  return (
    <>
      <Sums account={account} />
      {payables.map((payable) => (
        <PayableCard key={payable.id} payable={payable} />
      ))}
      {orders.length > 0 && (
        <section className="stack" aria-label={t.ordersAndReceipts}>
          <h2>{t.ordersAndReceipts}</h2>
          {orders.map((order) => (
            <OrderCard key={order.orderNo} order={order} />
          ))}
        </section>
      )}
      {feedback.length > 0 && (
        <section className="stack" aria-label={t.own}>
          <h2>{t.own}</h2>
          {feedback.map((one) => (
            <article key={one.id} className="card stack">
              <FeedbackText feedback={one} />
            </article>
          ))}
        </section>
      )}
    </>
  );
}

function Sums({ account }: { readonly account: Account }) {
  const { sums } = useTexts();
  const { chargedAmount, adjustedAmount, paidAmount, refundedAmount, dueAmount } = account;
  const lines = [
    [sums.charged, chargedAmount],
    [sums.adjusted, adjustedAmount],
    [sums.paid, paidAmount],
    [sums.refunded, refundedAmount],
  ] as const;
  return (
    <section className="card stack">
      {lines.map(([name, yuan]) => (
        <p key={name} className="tuition-ends">
          <span>{name}</span> <span className="tuition-amount">{show(yuan)}</span>
        </p>
      ))}
      <p className="tuition-total">
        <span>{sums.due}</span> <strong>{show(dueAmount)}</strong>
      </p>
    </section>
  );
}

function PayableCard({
  payable: { years, items, due, dueDate, adjustments },
}: {
  readonly payable: Account["payables"][number];
}) {
  const t = useTexts();
  return (
    <section className="card stack" aria-label={t.year(years)}>
      <h2 className="tuition-ends">
        {t.year(years)}
        <span className="tag" data-tone={due > 0 ? "warn" : "good"}>
          {due > 0 ? t.stillDue(show(due)) : t.allPaid}
        </span>
      </h2>
      <ul className="tuition-items">
        {items.map((item) => (
          <li key={item.name} className="tuition-item">
            <span className="tuition-name">{item.name}</span>
            <span className="tuition-amount">{show(item.amount)}</span>
            {item.due < item.amount && (
              <span className="tag" data-tone={item.due > 0 ? "warn" : "good"}>
                {item.due > 0 ? t.stillDue(show(item.due)) : t.states.paid}
              </span>
            )}
          </li>
        ))}
      </ul>
      {adjustments.map(({ id, kind, amount, until, time }) => (
        <p key={id} className="soft">
          {t.adjustmentKinds[kind]} {amount === null ? until : show(amount)} · {time}
        </p>
      ))}
      {due > 0 && dueDate !== null && <p className="soft">{t.payBy(dueDate)}</p>}
    </section>
  );
}
