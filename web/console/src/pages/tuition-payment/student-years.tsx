import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
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
