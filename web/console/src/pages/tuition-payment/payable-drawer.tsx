import { Button } from "antd";
import { useState } from "react";
import { ButtonLink, IfMay } from "#console/blocks/buttons.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { useRead } from "#console/call/use-call.ts";
import { PaidState, type Payable, usePayableRemoval, Yuan } from "#console/pages/tuition-payment/payable.tsx";
import { sumItemsOf } from "#console/pages/tuition-payment/account/account-items.ts";
import { useItemColumns } from "#console/pages/tuition-payment/account/account-parts.tsx";
import { AdjustDrawer } from "#console/pages/tuition-payment/adjustments/adjust-drawer.tsx";
import { Adjustments } from "#console/pages/tuition-payment/adjustments/adjustments.tsx";
import { useTexts } from "#console/pages/tuition-payment/texts.ts";

interface PayableDrawerProps {
  readonly id: number;
  readonly onClose: () => void;
  readonly onEdit: (payable: Payable) => void;
}

export function PayableDrawer({ id, onClose, onEdit }: PayableDrawerProps) {
  const t = useTexts();
  const { data: payable, error, refetch } = useRead(tuitionPayment.findPayable, { params: { id } });
  const { remove } = usePayableRemoval();
  const [adjusting, adjust] = useState<"whole" | "part">();
  const details = payable && [
    { label: t.studentNo, value: payable.studentNo ?? t.noNumber },
    { label: t.studentName, value: payable.studentName },
    { label: t.grade, value: payable.grade },
    { label: t.years, value: payable.years },
    { label: t.collegeName, value: payable.collegeName },
    { label: t.majorName, value: payable.majorName },
    { label: t.className, value: payable.className },
    { label: t.dueDate, value: payable.dueDate ?? t.noDueDate },
    { label: t.amount, value: <Yuan amount={payable.realPayAmount} /> },
    { label: t.due, value: <Yuan amount={payable.due} /> },
    { label: t.pay, value: <PaidState payable={payable} /> },
  ];
  return (
    <DetailDrawer
      title={payable ? t.drawerTitle(payable.studentName, payable.years) : t.payables}
      details={error ? [] : details}
      width={760}
      audited={{ service: "tuition-payment", record: id, what: "payable" }}
      onClose={onClose}
      actions={
        payable && (
          <>
            {payable.due === payable.realPayAmount && (
              <>
                <IfMay operation={tuitionPayment.deletePayable}>
                  <Button danger onClick={() => remove(payable, onClose)}>
                    {t.remove}
                  </Button>
                </IfMay>
                <IfMay operation={tuitionPayment.updatePayable}>
                  <Button onClick={() => onEdit(payable)}>{t.edit}</Button>
                </IfMay>
              </>
            )}
            {payable.due > 0 && (
              <IfMay operation={tuitionPayment.adjustPayable}>
                <Button onClick={() => adjust("part")}>{t.adjust}</Button>
                <Button onClick={() => adjust("whole")}>{t.record}</Button>
              </IfMay>
            )}
            <ButtonLink type="primary" to={`/tuition-payment/accounts/${id}`}>
              {t.toAccount}
            </ButtonLink>
          </>
        )
      }
    >
      {error && <Failure failure={error} onRetry={refetch} />}
      {payable && <Items payable={payable} />}
      {payable && <Adjustments payableId={id} years={payable.years} />}
      {payable && adjusting && (
        <AdjustDrawer payable={payable} isWhole={adjusting === "whole"} onClose={() => adjust(undefined)} />
      )}
    </DetailDrawer>
  );
}

function Items({ payable }: { readonly payable: Payable }) {
  const t = useTexts();
  return (
    <section aria-label={t.items} className="q-tuition-part">
      <h2>{t.items}</h2>
      <Records
        density="small"
        rowKey={({ name }) => name}
        rows={sumItemsOf(payable)}
        columns={useItemColumns()}
        empty={null}
      />
    </section>
  );
}
