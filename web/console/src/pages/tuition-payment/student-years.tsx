import { Table } from "antd";
import { tuitionPayment } from "#console/api/tuition-payment.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { Paid } from "#console/pages/tuition-payment/paid-status.tsx";
import { formatAmount, type Payable } from "#console/pages/tuition-payment/payable.ts";
import { texts } from "#console/pages/tuition-payment/texts.ts";

interface StudentYearsProps {
  readonly payable: Payable;
  readonly onOpen: (id: number) => void;
}

/** Every charging year of the payable's student, with whether it is paid. */
export function StudentYears({ payable, onOpen }: StudentYearsProps) {
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
        <Table
          size="small"
          pagination={false}
          rowKey="id"
          loading={{ spinning: unpaid.isPending || paid.isPending, delay: 150 }}
          dataSource={rows}
          columns={[
            { title: t.years, dataIndex: "years" },
            { title: t.pay, dataIndex: "pay", render: (pay: boolean) => <Paid pay={pay} /> },
            {
              title: t.amount,
              dataIndex: "realPayAmount",
              align: "right",
              render: (yuan: number) => <span className="q-figures">{formatAmount(yuan)}</span>,
            },
            {
              title: t.actions,
              dataIndex: "id",
              width: 96,
              render: (other: number, { years }) =>
                other === id ? (
                  <span className="q-soft">{t.thisOne}</span>
                ) : (
                  <RowAction label={t.openNamed(years)} onClick={() => onOpen(other)}>
                    {t.open}
                  </RowAction>
                ),
            },
          ]}
        />
      )}
    </section>
  );
}
