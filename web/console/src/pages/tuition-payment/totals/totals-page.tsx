import { Bar } from "#console/blocks/bar.tsx";
import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { useListState } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { StatCard } from "#console/blocks/stat-card.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTotalTexts as useTexts } from "#console/pages/tuition-payment/texts.ts";
import { formatFen, toFen } from "#shared/money.ts";
import type { DataOf } from "#shared/call/operation.ts";
import "#console/pages/tuition-payment/totals/totals.css";

export function TotalsPage() {
  const t = useTexts();
  return (
    <ListPage
      title={t.totals}
      about={t.totalsAbout}
      name="tuition-payment/totals"
      operation={tuitionPayment.readOrderTotals}
      toPage={({ grades }) => grades}
      filters={useFilters()}
      columns={useColumns()}
      rowKey={({ grade, years }) => `${grade} ${years}`}
      empty={{
        title: t.noTotals,
        about: t.noTotalsAbout,
        action: <Link to="/tuition-payment/payables">{t.toPayables}</Link>,
      }}
    >
      <Overall />
    </ListPage>
  );
}

function useFilters(): Field[] {
  const t = useTexts();
  const { data: grades = [] } = useRead(tuitionPayment.listPayLimits, {});
  return [
    {
      kind: "select",
      name: "grade",
      label: t.grade,
      options: grades.map(({ grade, gradeName }) => ({ value: grade, label: gradeName })),
    },
    { kind: "text", name: "years", label: t.years, placeholder: t.yearsHelp, max: 255 },
  ];
}

function Overall() {
  const t = useTexts();
  const [{ filters }] = useListState();
  const { data, isError } = useRead(tuitionPayment.readOrderTotals, { query: filters }, { keep: true });
  const sums = data && addUp(data.grades);
  const show = (part: (sums: Sums) => number) => (isError ? "—" : sums && formatFen(part(sums)));
  return (
    <div className="q-stats q-tuition-sums">
      <StatCard
        label={t.dueAmount}
        value={show(({ due }) => due)}
        about={sums && t.ofPayables(formatCount(sums.paidPayables), formatCount(sums.payables))}
      />
      <StatCard label={t.orderAmount} value={show(({ order }) => order)} about={t.orderAbout} />
      <StatCard label={t.decidedAmount} value={show(({ decided }) => decided)} about={t.decidedAbout} />
      <StatCard
        label={t.leftAmount}
        value={show(({ left }) => left)}
        about={sums && `${t.share} ${toShare(sums).toFixed(1)}%`}
      />
    </div>
  );
}

function useColumns(): Column<GradeTotal>[] {
  const t = useTexts();
  const money = (field: string, title: string, width: number, part: (sums: Sums) => number): Column<GradeTotal> => ({
    field,
    title,
    width,
    align: "right",
    render: (row) => formatFen(part(toSums(row))).slice(1),
  });
  return [
    { field: "grade", title: t.grade, width: 72 },
    { field: "years", title: t.years, width: 120 },
    {
      field: "payables",
      title: t.paidPayables,
      width: 124,
      align: "right",
      render: ({ paidPayables, payables }) => `${formatCount(paidPayables)} / ${formatCount(payables)}`,
    },
    money("dueAmount", t.dueAmount, 118, ({ due }) => due),
    money("orderAmount", t.orderAmount, 128, ({ order }) => order),
    money("decidedAmount", t.decidedAmount, 144, ({ decided }) => decided),
    money("leftAmount", t.leftAmount, 118, ({ left }) => left),
    { field: "share", title: t.share, width: 140, render: (row) => <Share percent={toShare(toSums(row))} /> },
    actionColumn(t.actions, 110, ({ grade, years }) => (
      <Link
        to={`/tuition-payment/payables?${new URLSearchParams({ pay: "false", grade, years })}`}
        aria-label={t.unpaidOf(grade, years)}
      >
        {t.unpaid}
      </Link>
    )),
  ];
}

const Share = ({ percent }: { readonly percent: number }) => <Bar percent={percent} text={`${percent.toFixed(1)}%`} />;

type GradeTotal = DataOf<typeof tuitionPayment.readOrderTotals>["grades"][number];

/** Amounts are in fen; `left` is neither paid by an order nor deducted by an adjustment. */
interface Sums {
  readonly payables: number;
  readonly paidPayables: number;
  readonly due: number;
  readonly order: number;
  readonly decided: number;
  readonly left: number;
}

const toSums = ({ payables, paidPayables, ...amounts }: GradeTotal): Sums => {
  const [due, order, decided] = [toFen(amounts.dueAmount), toFen(amounts.orderAmount), toFen(amounts.decidedAmount)];
  return { payables, paidPayables, due, order, decided, left: due - order - decided };
};

const nothing: Sums = { payables: 0, paidPayables: 0, due: 0, order: 0, decided: 0, left: 0 };

const addUp = (rows: readonly GradeTotal[]): Sums =>
  rows.map(toSums).reduce(
    (sum, row) => ({
      payables: sum.payables + row.payables,
      paidPayables: sum.paidPayables + row.paidPayables,
      due: sum.due + row.due,
      order: sum.order + row.order,
      decided: sum.decided + row.decided,
      left: sum.left + row.left,
    }),
    nothing,
  );

/** Rounds down, so that the share is never 100 while something is unpaid. */
const toShare = ({ due, left }: Sums): number => (due === 0 ? 0 : Math.floor(((due - left) / due) * 1000) / 10);
