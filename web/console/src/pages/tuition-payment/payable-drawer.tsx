import { Button, Table } from "antd";
import { useState } from "react";
import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { useRead } from "#console/call/use-call.ts";
import { PaidState, type Payable, usePayableActions, Yuan } from "#console/pages/tuition-payment/payable.tsx";
import { AdjustDrawer } from "#console/pages/tuition-payment/adjustments/adjust-drawer.tsx";
import { Adjustments } from "#console/pages/tuition-payment/adjustments/adjustments.tsx";
import { useTexts } from "#console/pages/tuition-payment/texts.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";

interface PayableDrawerProps {
  readonly id: number;
  readonly onOpen: (id: number | undefined) => void;
  readonly onEdit: (payable: Payable) => void;
}

export function PayableDrawer({ id, onOpen, onEdit }: PayableDrawerProps) {
  const t = useTexts();
  const { data: payable, error, refetch } = useRead(tuitionPayment.findPayable, { params: { id } });
  const { decide, remove } = usePayableActions();
  const [isAdjusting, setAdjusting] = useState(false);
  const close = () => onOpen(undefined);
  const details = payable && [
    { label: t.studentNo, value: payable.studentNo ?? t.noNumber },
    { label: t.studentName, value: payable.studentName },
    { label: t.grade, value: payable.grade },
    { label: t.years, value: payable.years },
    { label: t.collegeName, value: payable.collegeName },
    { label: t.majorName, value: payable.majorName },
    { label: t.className, value: payable.className },
    { label: t.pay, value: <PaidState payable={payable} /> },
    { label: t.dueDate, value: payable.dueDate ?? t.noDueDate },
  ];
  return (
    <DetailDrawer
      title={payable ? t.drawerTitle(payable.studentName, payable.years) : t.payables}
      details={error ? [] : details}
      width={680}
      audited={{ service: "tuition-payment", record: id, what: "payable" }}
      onClose={close}
      actions={
        payable &&
        (payable.pay ? (
          <IfMay operation={tuitionPayment.recordPayment}>
            <Button danger onClick={() => decide(payable, false)}>
              {t.takeBack}
            </Button>
          </IfMay>
        ) : (
          <>
            {payable.due === payable.realPayAmount && (
              <>
                <IfMay operation={tuitionPayment.deletePayable}>
                  <Button danger onClick={() => remove(payable, close)}>
                    {t.remove}
                  </Button>
                </IfMay>
                <IfMay operation={tuitionPayment.updatePayable}>
                  <Button onClick={() => onEdit(payable)}>{t.edit}</Button>
                </IfMay>
              </>
            )}
            <IfMay operation={tuitionPayment.recordPayment}>
              <Button onClick={() => decide(payable, true)}>{t.record}</Button>
            </IfMay>
            <IfMay operation={tuitionPayment.adjustPayable}>
              <Button type="primary" onClick={() => setAdjusting(true)}>
                {t.adjust}
              </Button>
            </IfMay>
          </>
        ))
      }
    >
      {error && <Failure failure={error} onRetry={refetch} />}
      {payable && <Items payable={payable} />}
      {payable && <Adjustments payableId={id} years={payable.years} />}
      {payable && <StudentYears payable={payable} onOpen={onOpen} />}
      {payable && isAdjusting && <AdjustDrawer payable={payable} onClose={() => setAdjusting(false)} />}
    </DetailDrawer>
  );
}

function Items({ payable }: { readonly payable: Payable }) {
  const t = useTexts();
  return (
    <section aria-label={t.items} className="q-tuition-part">
      <h2>{t.items}</h2>
      <Table
        size="small"
        pagination={false}
        rowKey="name"
        dataSource={payable.items}
        columns={[
          { title: t.itemName, dataIndex: "name" },
          { title: t.itemAmount, dataIndex: "amount", align: "right", render: (amount) => <Yuan amount={amount} /> },
          { title: t.due, dataIndex: "due", align: "right", render: (due) => <Yuan amount={due} /> },
        ]}
        summary={() => (
          <Table.Summary.Row>
            <Table.Summary.Cell index={0}>
              <strong>{t.sum}</strong>
            </Table.Summary.Cell>
            {[payable.realPayAmount, payable.due].map((amount, index) => (
              // Two figures, each in its column.
              // oxlint-disable-next-line react/no-array-index-key
              <Table.Summary.Cell key={index} index={index + 1} align="right">
                <strong>
                  <Yuan amount={amount} />
                </strong>
              </Table.Summary.Cell>
            ))}
          </Table.Summary.Row>
        )}
      />
    </section>
  );
}

function StudentYears({ payable, onOpen }: { readonly payable: Payable; readonly onOpen: (id: number) => void }) {
  const { id, studentNo } = payable;
  // Without a number nothing tells which others are the student's.
  return studentNo === null ? null : <YearsOfNumber id={id} studentNo={studentNo} onOpen={onOpen} />;
}

interface YearsOfNumberProps {
  readonly id: number;
  readonly studentNo: string;
  readonly onOpen: (id: number) => void;
}

function YearsOfNumber({ id, studentNo, onOpen }: YearsOfNumberProps) {
  const t = useTexts();
  // The list finds by a part of the number.
  const query = { keyword: studentNo, curPage: 1, pageSize: 200 };
  const { data, error, refetch, isPending } = useRead(tuitionPayment.listPayables, { query });
  const rows = (data?.list ?? [])
    .filter((other) => other.studentNo === studentNo)
    .toSorted((a, b) => (a.years < b.years ? -1 : 1));
  return (
    <section aria-label={t.allYears} className="q-tuition-part">
      <h2>{t.allYears}</h2>
      {error ? (
        <Failure failure={error} onRetry={refetch} />
      ) : (
        <Records
          density="small"
          rowKey={(other) => other.id}
          loading={isPending}
          rows={rows}
          empty={null}
          pageSize={100}
          columns={[
            { title: t.years, field: "years" },
            { title: t.pay, field: "pay", width: 130, wraps: true, render: (other) => <PaidState payable={other} /> },
            {
              title: t.due,
              field: "due",
              align: "right",
              render: ({ due }) => <Yuan amount={due} />,
            },
            actionColumn<(typeof rows)[number]>(t.actions, 96, (other) =>
              other.id === id ? (
                <span className="q-soft">{t.thisOne}</span>
              ) : (
                <RowAction needs="nothing" label={t.openNamed(other.years)} onClick={() => onOpen(other.id)}>
                  {t.open}
                </RowAction>
              ),
            ),
          ]}
        />
      )}
    </section>
  );
}
