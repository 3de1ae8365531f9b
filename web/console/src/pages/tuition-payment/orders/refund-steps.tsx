import { Button, Space } from "antd";
import { useState } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { IfMay } from "#console/blocks/buttons.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/tuition-payment/desk/texts.ts";
import type { Order } from "#console/pages/tuition-payment/orders/order.tsx";
import { usePayableWords } from "#console/pages/tuition-payment/payable.tsx";
import { useSession } from "#console/session/session.ts";
import { formatFen, toFen } from "#shared/money.ts";

interface RefundStepsProps {
  readonly order: Pick<Order, "orderNo" | "studentName" | "studentNo">;
  readonly refund: Order["refunds"][number];
  readonly askedBy: string | null;
}

export function RefundSteps({ order, refund, askedBy }: RefundStepsProps) {
  const t = useTexts();
  const { who } = usePayableWords();
  const confirm = useConfirm();
  const isOwn = useSession()?.userName === askedBy;
  const [typing, type] = useState<"outside" | "refuse">();
  const again = useChange(tuitionPayment.refundAgain, { done: t.done });
  const approve = useChange(tuitionPayment.approveRefund, { done: t.done });
  const given = { params: { orderNo: order.orderNo, refundNo: refund.refundNo } };
  const [sum, person] = [formatFen(toFen(refund.amount)), who(order)];
  const ask = (step: "again" | "approve", { mutateAsync }: typeof again | typeof approve) =>
    confirm({
      title: t.readBack[step](sum, person),
      about: null,
      needs: tuitionPayment[step === "again" ? "refundAgain" : "approveRefund"],
      verb: t.actions[step],
      work: () => mutateAsync(given),
    });
  if (refund.status === "asked" && isOwn) return <div className="q-soft">{t.ownRefund}</div>;
  return (
    <>
      {refund.status === "failed" && (
        <Space wrap>
          <IfMay operation={tuitionPayment.refundAgain}>
            <Button size="small" onClick={() => ask("again", again)}>
              {t.actions.again}
            </Button>
          </IfMay>
          <IfMay operation={tuitionPayment.refundOutside}>
            <Button size="small" onClick={() => type("outside")}>
              {t.actions.outside}
            </Button>
          </IfMay>
        </Space>
      )}
      {refund.status === "asked" && (
        <Space wrap>
          <IfMay operation={tuitionPayment.approveRefund}>
            <Button size="small" type="primary" onClick={() => ask("approve", approve)}>
              {t.actions.approve}
            </Button>
          </IfMay>
          <IfMay operation={tuitionPayment.refuseRefund}>
            <Button size="small" onClick={() => type("refuse")}>
              {t.actions.refuse}
            </Button>
          </IfMay>
        </Space>
      )}
      {typing && (
        <TypedStep
          step={typing}
          title={t.readBack[typing](sum, person)}
          given={given}
          onClose={() => type(undefined)}
        />
      )}
    </>
  );
}

interface TypedStepProps {
  readonly step: "outside" | "refuse";
  readonly title: string;
  readonly given: { readonly params: { readonly orderNo: string; readonly refundNo: string } };
  readonly onClose: () => void;
}

function TypedStep({ step, title, given, onClose }: TypedStepProps) {
  const t = useTexts();
  const outside = useChange(tuitionPayment.refundOutside, { done: t.done, quiet: true });
  const refuse = useChange(tuitionPayment.refuseRefund, { done: t.done, quiet: true });
  const field = step === "outside" ? "evidence" : "note";
  return (
    <FormDrawer<{ readonly text: string }>
      title={title}
      needs={tuitionPayment[step === "outside" ? "refundOutside" : "refuseRefund"]}
      fields={[{ kind: "text", name: "text", label: t.fields[field], required: true, max: 200, help: t.helps[field] }]}
      onSave={({ text }) =>
        step === "outside"
          ? outside.mutateAsync({ ...given, body: { evidence: text } })
          : refuse.mutateAsync({ ...given, body: { reason: text } })
      }
      onClose={onClose}
      saveText={t.actions[step]}
    />
  );
}
