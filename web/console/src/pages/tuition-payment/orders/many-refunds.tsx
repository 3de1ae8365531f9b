import { Alert, Button } from "antd";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { IfMay } from "#console/blocks/buttons.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { ImportWizard } from "#console/blocks/import/import-wizard.tsx";
import { useChange } from "#console/call/use-call.ts";
import type { Order } from "#console/pages/tuition-payment/orders/order.tsx";
import { useOrderTexts as useTexts } from "#console/pages/tuition-payment/texts.ts";
import { formatFen, toFen, toYuan } from "#shared/money.ts";

const leftOf = ({ amount, refundedAmount }: Order): number => toFen(amount) - toFen(refundedAmount);

interface RefundButtonProps {
  readonly orders: readonly Order[];
  readonly onPress: (paid: readonly Order[]) => void;
}

export function RefundButton({ orders, onPress }: RefundButtonProps) {
  const t = useTexts();
  const paid = orders.filter(({ status }) => status === "paid");
  return (
    <IfMay operation={tuitionPayment.refundMany}>
      <Button size="small" danger disabled={paid.length === 0} onClick={() => onPress(paid)}>
        {t.refundCount(paid.length)}
      </Button>
    </IfMay>
  );
}

interface ManyRefundsProps {
  readonly orders: readonly Order[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function ManyRefunds({ orders, onDone, onClose }: ManyRefundsProps) {
  const t = useTexts();
  const count = orders.length;
  const refund = useChange(tuitionPayment.refundMany, { done: t.manyAsked(count), quiet: true });
  const sum = formatFen(orders.reduce((fen, order) => fen + leftOf(order), 0));
  const names = t.listPeople([...new Set(orders.map(({ studentName }) => studentName))]);
  return (
    <FormDrawer<{ readonly reason: string }>
      title={t.manyTitle(count)}
      needs={tuitionPayment.refundMany}
      fields={[{ kind: "multiline", name: "reason", label: t.reason, required: true, max: 200, help: t.reasonHelp }]}
      readBack={() => t.manyReadBack(count, sum, names)}
      onSave={async ({ reason }, idempotencyKey) => {
        const rows = orders.map((order) => ({ orderNo: order.orderNo, amount: toYuan(leftOf(order)), reason }));
        await refund.mutateAsync({ body: { rows }, options: { idempotencyKey } });
        onDone();
      }}
      onClose={onClose}
      saveText={t.refundAmount(sum)}
    >
      <p>{names}</p>
      <p className="q-soft">{t.manyAbout}</p>
    </FormDrawer>
  );
}

export function RefundsImport({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts();
  const count = (rows: string) => formatCount(Number(rows));
  return (
    <ImportWizard
      title={t.importRefunds}
      operation={tuitionPayment.importRefunds}
      template={tuitionPayment.readRefundTemplate}
      preview={{
        fields: { dryRun: true },
        describe: (rows) => (
          <Alert type="success" showIcon title={t.refundsChecked(count(rows))} description={t.refundsCheckedAbout} />
        ),
        startText: (rows) => t.refundRows(count(rows)),
      }}
      describe={(rows) => <Alert type="success" showIcon title={t.manyAsked(Number(rows))} />}
      onClose={onClose}
    >
      <p className="q-soft">{t.importRefundsAbout}</p>
    </ImportWizard>
  );
}
