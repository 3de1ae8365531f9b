import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { joinWords } from "#console/blocks/format.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { Status } from "#console/blocks/status.tsx";
import { type Adjustment, adjustmentKinds } from "#console/pages/tuition-payment/adjustments/adjustment.ts";
import { useTexts } from "#console/pages/tuition-payment/adjustments/texts.ts";
import { formatAmount } from "#console/pages/tuition-payment/payable.tsx";

export function AdjustmentsPage() {
  const t = useTexts();
  const filters: Field[] = [
    {
      kind: "select",
      name: "kind",
      label: t.kind,
      options: adjustmentKinds.map((value) => ({ value, label: t.kinds[value] })),
    },
    { kind: "span", name: "made", label: t.time, from: "startTime", to: "endTime" },
  ];
  return (
    <ListPage
      title={t.adjustments}
      about={t.adjustmentsAbout}
      name="tuition-payment/adjustments"
      operation={tuitionPayment.listAdjustments}
      filters={filters}
      columns={useColumns()}
      exporting={{ operation: tuitionPayment.exportAdjustments }}
      empty={{ title: t.noAdjustments, about: t.noAdjustmentsAbout }}
    />
  );
}

function useColumns(): Column<Adjustment>[] {
  const t = useTexts();
  return [
    { field: "kind", title: t.kind, width: 116, sortable: true, render: ({ kind }) => t.kinds[kind] },
    { field: "time", title: t.time, width: 165, sortable: true },
    {
      field: "amount",
      title: t.amount,
      width: 124,
      align: "right",
      render: ({ amount }) => (amount === null ? "" : formatAmount(amount)),
    },
    {
      field: "items",
      title: t.items,
      width: 140,
      wraps: true,
      render: ({ items, until }) => (until === null ? joinWords(items.map(({ name }) => name)) : t.untilDate(until)),
    },
    { field: "evidence", title: t.evidence, width: 170, wraps: true, render: (row) => row.evidence || t.noEvidence },
    { field: "reason", title: t.reason, width: 150, wraps: true },
    { field: "by", title: t.by, width: 110 },
    {
      field: "undone",
      title: t.state,
      width: 150,
      wraps: true,
      render: ({ undone, undoneBy, undoTime, undoReason }) => (
        <>
          <Status tone={undone ? "default" : "success"}>{undone ? t.undone : t.stands}</Status>
          {undone && <div className="q-value">{t.undoneBy(undoneBy ?? "", undoTime ?? "", undoReason ?? "")}</div>}
        </>
      ),
    },
    actionColumn(t.actions, 124, ({ id, payableId }) => (
      <Link to={`/tuition-payment/payables?open=${payableId}`} aria-label={t.openNamed(id)}>
        {t.openPayable}
      </Link>
    )),
  ];
}
