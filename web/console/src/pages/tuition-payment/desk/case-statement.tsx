import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { useRead } from "#console/call/use-call.ts";
import { showMoney } from "#console/pages/tuition-payment/desk/desk-row.ts";
import { useTexts } from "#console/pages/tuition-payment/desk/texts.ts";

export function CaseStatement({ orderNo }: { readonly orderNo: string }) {
  const t = useTexts();
  const { data } = useRead(tuitionPayment.listReconciliation, { query: { orderNo, curPage: 1, pageSize: 50 } });
  if (!data || data.list.length === 0) return null;
  return (
    <section aria-label={t.statementLines} className="q-tuition-part">
      <h2>{t.statementLines}</h2>
      <Records
        density="small"
        rowKey={({ id }) => id}
        rows={data.list}
        empty={null}
        columns={[
          { field: "type", title: t.kind, width: 120, render: ({ type }) => t.kinds[type] },
          { field: "date", title: t.date, width: 104 },
          { field: "tradeNo", title: t.tradeNo, width: 170, wraps: true },
          {
            field: "ourAmount",
            title: t.amounts.order,
            width: 110,
            align: "right",
            render: ({ ourAmount }) => (ourAmount === null ? t.none : showMoney(ourAmount)),
          },
          {
            field: "theirAmount",
            title: t.amounts.statement,
            width: 110,
            align: "right",
            render: ({ theirAmount }) => (theirAmount === null ? t.none : showMoney(theirAmount)),
          },
          { field: "note", title: t.note, width: 150, wraps: true },
        ]}
      />
    </section>
  );
}
