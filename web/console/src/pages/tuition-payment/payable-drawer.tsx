import { Button, Table } from "antd";
import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import {
  formatAmount,
  formatTyped,
  Paid,
  type Payable,
  readItems,
  usePayableActions,
} from "#console/pages/tuition-payment/payable.tsx";
import { texts } from "#console/pages/tuition-payment/texts.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";

interface PayableDrawerProps {
  readonly id: number;
  readonly onOpen: (id: number | undefined) => void;
  readonly onEdit: (payable: Payable) => void;
}

export function PayableDrawer({ id, onOpen, onEdit }: PayableDrawerProps) {
  const t = useTexts(texts);
  const { data: payable, error, refetch } = useRead(tuitionPayment.findPayable, { params: { id } });
  const { decide, remove } = usePayableActions();
  const close = () => onOpen(undefined);
  const details = payable && [
    { label: t.studentNo, value: payable.studentNo ?? t.noNumber },
    { label: t.studentName, value: payable.studentName },
    { label: t.grade, value: payable.grade },
    { label: t.years, value: payable.years },
    { label: t.collegeName, value: payable.collegeName },
    { label: t.majorName, value: payable.majorName },
    { label: t.className, value: payable.className },
    { label: t.pay, value: <Paid pay={payable.pay} /> },
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
            <IfMay operation={tuitionPayment.deletePayable}>
              <Button danger onClick={() => remove(payable, close)}>
                {t.remove}
              </Button>
            </IfMay>
            <IfMay operation={tuitionPayment.updatePayable}>
              <Button onClick={() => onEdit(payable)}>{t.edit}</Button>
            </IfMay>
            <IfMay operation={tuitionPayment.recordPayment}>
              <Button type="primary" onClick={() => decide(payable, true)}>
                {t.record}
              </Button>
            </IfMay>
          </>
        ))
      }
    >
      {error && <Failure failure={error} onRetry={refetch} />}
      {payable && <Items payable={payable} />}
      {payable && <StudentYears payable={payable} onOpen={onOpen} />}
    </DetailDrawer>
  );
}

function Items({ payable }: { readonly payable: Payable }) {
  const t = useTexts(texts);
  return (
    <section aria-label={t.items} className="q-tuition-part">
      <h2>{t.items}</h2>
      <Table
        size="small"
        pagination={false}
        rowKey="name"
        dataSource={readItems(payable.payItemDetail)}
        columns={[
          { title: t.itemName, dataIndex: "name" },
          {
            title: t.itemAmount,
            dataIndex: "amount",
            align: "right",
            render: (amount: string) => <span className="q-figures">{formatTyped(amount)}</span>,
          },
        ]}
        summary={() => (
          <Table.Summary.Row>
            <Table.Summary.Cell index={0}>
              <strong>{t.amount}</strong>
            </Table.Summary.Cell>
            <Table.Summary.Cell index={1} align="right">
              <strong className="q-figures">{formatAmount(payable.realPayAmount)}</strong>
            </Table.Summary.Cell>
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
  const t = useTexts(texts);
  // The list finds by a part of the number, and tells who has paid only when it is asked for those who have.
  const query = { keyword: studentNo, curPage: 1, pageSize: 200 };
  const unpaid = useRead(tuitionPayment.listPayables, { query: { ...query, pay: false } });
  const paid = useRead(tuitionPayment.listPayables, { query: { ...query, pay: true } });
  const own = (read: typeof paid, pay: boolean) =>
    (read.data?.list ?? []).filter((other) => other.studentNo === studentNo).map((other) => ({ ...other, pay }));
  const rows = [...own(unpaid, false), ...own(paid, true)].toSorted((a, b) => (a.years < b.years ? -1 : 1));
  const error = unpaid.error ?? paid.error;
  return (
    <section aria-label={t.allYears} className="q-tuition-part">
      <h2>{t.allYears}</h2>
      {error ? (
        <Failure failure={error} onRetry={() => Promise.all([unpaid.refetch(), paid.refetch()])} />
      ) : (
        <Records
          density="small"
          rowKey={(other) => other.id}
          loading={unpaid.isPending || paid.isPending}
          rows={rows}
          empty={null}
          pageSize={100}
          columns={[
            { title: t.years, field: "years" },
            { title: t.pay, field: "pay", width: 100, render: ({ pay }) => <Paid pay={pay} /> },
            {
              title: t.amount,
              field: "realPayAmount",
              align: "right",
              render: ({ realPayAmount }) => <span className="q-figures">{formatAmount(realPayAmount)}</span>,
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
