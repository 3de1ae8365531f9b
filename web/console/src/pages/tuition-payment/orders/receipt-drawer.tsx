import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { OrderItems } from "#console/pages/tuition-payment/orders/order-items.tsx";
import { type OrderTexts, texts } from "#console/pages/tuition-payment/orders/texts.ts";
import { formatFen, toFen } from "#shared/money.ts";

type Receipt = DataOf<typeof tuitionPayment.readReceipt>;

/** The receipt of a paid order, to be printed. */
export function ReceiptDrawer({ orderNo, onClose }: { readonly orderNo: string; readonly onClose: () => void }) {
  const t = useTexts(texts);
  const { data: receipt, error, refetch } = useRead(tuitionPayment.readReceipt, { params: { orderNo } });
  return (
    <DetailDrawer
      title={t.receiptTitle}
      details={error ? [] : receipt && describe(receipt, t)}
      width={720}
      onClose={onClose}
    >
      {error && <Failure failure={error} onRetry={refetch} />}
      {receipt && <OrderItems order={receipt} />}
    </DetailDrawer>
  );
}

function describe(receipt: Receipt, t: OrderTexts) {
  const [all, back] = [toFen(receipt.amount), toFen(receipt.refundedAmount)];
  return [
    { label: t.receiptNo, value: receipt.receiptNo },
    { label: t.payTime, value: receipt.payTime },
    { label: t.payer, value: receipt.studentName },
    { label: t.studentNo, value: receipt.studentNo ?? t.noNumber },
    { label: t.grade, value: receipt.grade },
    { label: t.receivedBy, value: receipt.gateway === null ? null : t.gateways[receipt.gateway] },
    { label: t.orderNo, value: receipt.orderNo, wide: true },
    { label: t.tradeNo, value: receipt.tradeNo, wide: true },
    {
      label: t.received,
      wide: true,
      value: (
        <>
          <strong className="q-figures">{formatFen(all - back)}</strong>
          {back > 0 && <div className="q-soft">{t.lessRefunds(formatFen(back))}</div>}
        </>
      ),
    },
    { label: t.inWords, value: receipt.amountInWords, wide: true },
  ];
}
