import type { ReactNode } from "react";
import { CallFailure } from "#shared/call/failure.ts";
import { useReading } from "#shared/call/use-reading.ts";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { formatFen, toFen } from "#shared/money.ts";
import { pictureOf } from "#shared/institution.ts";
import { ask } from "./student.ts";
import { useTexts } from "./texts.ts";

interface ReceiptProps {
  readonly orderNo: string;
  /** Shown if the order has no receipt, since nothing of it remains paid. */
  readonly otherwise: ReactNode;
}

export function Receipt({ orderNo, otherwise }: ReceiptProps) {
  const t = useTexts();
  const { data, failure, retry } = useReading(orderNo, (signal) =>
    ask(tuitionPayment.readReceipt, { params: { orderNo } }, { signal }),
  );
  if (failure instanceof CallFailure && failure.code === "10007") return otherwise;
  if (failure) return <Failed failure={failure} retry={retry} />;
  if (!data) return <Waiting />;
  return (
    <>
      <Sheet receipt={data} />
      <div className="stack tuition-screen">
        <button type="button" className="button" data-kind="main" data-wide="" onClick={() => window.print()}>
          {t.print}
        </button>
        <p className="soft">{t.printAbout}</p>
      </div>
    </>
  );
}

const toItemKey = ({ payableId, name }: { readonly payableId: number; readonly name: string }): string =>
  `${payableId} ${name}`;

function Sheet({ receipt }: { readonly receipt: DataOf<typeof tuitionPayment.readReceipt> }) {
  const t = useTexts();
  const { receiptNo, payTime, studentName, studentNo, grade, gateway, orderNo, tradeNo, amountInWords } = receipt;
  const back = new Set(receipt.refunds.flatMap(({ status, items }) => (status === "done" ? items.map(toItemKey) : [])));
  // Refunded items are left out, so that the listed ones sum to the amount received.
  const rows = receipt.payables
    .flatMap(({ payableId, years, items }) =>
      items.map((item) => ({ ...item, years, key: toItemKey({ payableId, name: item.name }) })),
    )
    .filter(({ key }) => !back.has(key));
  const [allFen, backFen] = [toFen(receipt.amount), toFen(receipt.refundedAmount)];
  const facts = [
    [t.receiptNo, receiptNo],
    [t.payTime, payTime],
    [t.payee, receipt.payee],
    [t.payer, studentName],
    [t.studentNo, studentNo ?? t.noNumber],
    [t.grade, grade],
    [t.receivedBy, gateway && t.gateways[gateway]],
    [t.orderNo, orderNo],
    [t.tradeNo, tradeNo],
  ];
  return (
    <article className="card stack tuition-sheet">
      <h2>{t.receipt}</h2>
      <dl className="facts">
        {facts.map(([name, value]) => value && [<dt key={name}>{name}</dt>, <dd key={value}>{value}</dd>])}
      </dl>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.years}</th>
            <th scope="col">{t.item}</th>
            <th scope="col">{t.amount}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, years, name, amount }) => (
            <tr key={key}>
              <td>{years}</td>
              <td>{name}</td>
              <td>{formatFen(toFen(amount))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="tuition-total">
        <span>
          {t.received} {backFen > 0 && <span className="soft">{t.lessRefunds(formatFen(backFen))}</span>}
        </span>
        <strong>{formatFen(allFen - backFen)}</strong>
      </p>
      <p>
        {t.inWords} <strong>{amountInWords}</strong>
      </p>
      {receipt.seal !== undefined && <img className="receipt-seal" src={pictureOf(receipt.seal)} alt={t.seal} />}
    </article>
  );
}
