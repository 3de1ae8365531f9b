import { Alert, Button } from "antd";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import type { OrderDetail } from "#console/pages/tuition-payment/orders/order.tsx";
import { texts } from "#console/pages/tuition-payment/orders/texts.ts";
import { useMay } from "#console/session/session.ts";
import { formatFen, toFen } from "#shared/money.ts";

interface MismatchNoteProps {
  readonly order: OrderDetail;
  /** In yuan. */
  readonly received: number;
  readonly onReturn: () => void;
}

/** Says what came that waits for a decision, and leads to giving it back. */
export function MismatchNote({ order: { amount }, received, onReturn }: MismatchNoteProps) {
  const t = useTexts(texts);
  const may = useMay()(tuitionPayment.giveBackOrder);
  const came = formatFen(toFen(received));
  const [title, about] =
    received === amount
      ? [t.afterDecision(came), t.afterDecisionAbout]
      : [t.mismatch(came, formatFen(toFen(amount))), t.mismatchAbout];
  return (
    <Alert
      showIcon
      type="warning"
      className="q-tuition-part"
      title={title}
      description={may ? about : `${about} ${t.giveBackBySuper}`}
      action={
        may && (
          <Button danger size="small" onClick={onReturn}>
            {t.giveBack}
          </Button>
        )
      }
    />
  );
}

interface ReturnDrawerProps {
  readonly orderNo: string;
  /** In yuan, as it was when the order was read. */
  readonly received: number;
  readonly onClose: () => void;
}

/** Gives back, whole, what came. */
export function ReturnDrawer({ orderNo, received, onClose }: ReturnDrawerProps) {
  const t = useTexts(texts);
  const giveBack = useChange(tuitionPayment.giveBackOrder, { done: t.giveBackAsked, quiet: true });
  return (
    <FormDrawer<{ readonly reason: string }>
      title={t.giveBackTitle(orderNo)}
      needs={tuitionPayment.giveBackOrder}
      fields={[{ kind: "multiline", name: "reason", label: t.reason, required: true, max: 200, help: t.reasonHelp }]}
      onSave={({ reason }) => giveBack.mutateAsync({ params: { orderNo }, body: { reason } })}
      onClose={onClose}
      saveText={t.giveBackAmount(formatFen(toFen(received)))}
    >
      <p className="q-soft">{t.giveBackAbout}</p>
    </FormDrawer>
  );
}
