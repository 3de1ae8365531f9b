import { Segmented } from "antd";
import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useListState } from "#console/blocks/list-page/address.ts";
import type { Column } from "#console/blocks/list-page/columns.tsx";
import { ExportButton, ListPage } from "#console/blocks/list-page/list-page.tsx";
import { adjustmentKinds } from "#console/pages/tuition-payment/adjustments/adjustment.ts";
import { useTexts as useAdjustmentTexts } from "#console/pages/tuition-payment/adjustments/texts.ts";
import { useTexts } from "#console/pages/tuition-payment/journal/texts.ts";
import { gatewayNames } from "#console/pages/tuition-payment/orders/order.tsx";
import { formatAmount } from "#console/pages/tuition-payment/payable.tsx";
import { useOrderTexts } from "#console/pages/tuition-payment/texts.ts";
import type { RecordOf } from "#shared/call/operation.ts";

type Line = RecordOf<typeof tuitionPayment.readJournal>;
type Balance = RecordOf<typeof tuitionPayment.readBalances>;
type View = "lines" | "balances";

const lineKinds = ["payment", "refund", "adjustment", "undone"] as const satisfies readonly Line["kind"][];
const pageSize = 50;

export function JournalPage() {
  const [{ view }] = useListState();
  return view === "balances" ? <Balances /> : <Lines />;
}

function ViewChoice({ view }: { readonly view: View }) {
  const t = useTexts();
  const [, change] = useListState();
  return (
    <Segmented<View>
      aria-label={t.view}
      value={view}
      options={(["lines", "balances"] as const).map((value) => ({ value, label: t.views[value] }))}
      onChange={(next) => change({ filters: {}, page: 1, view: next === "lines" ? undefined : next })}
    />
  );
}

function Lines() {
  const t = useTexts();
  const channels = useChannels();
  const [{ filters }] = useListState();
  const { cursor: _cursor, ...chosen } = filters;
  const fields: Field[] = [
    { kind: "span", name: "moved", label: t.time, from: "startTime", to: "endTime" },
    {
      kind: "select",
      name: "kind",
      label: t.kind,
      options: lineKinds.map((value) => ({ value, label: t.kinds[value] })),
    },
    {
      kind: "select",
      name: "channel",
      label: t.channel,
      options: Object.entries(channels).map(([value, label]) => ({ value, label })),
    },
  ];
  return (
    <ListPage
      title={t.journal}
      about={t.journalAbout}
      name="tuition-payment/journal"
      operation={tuitionPayment.readJournal}
      given={{ query: { limit: pageSize } }}
      filters={fields}
      columns={useLineColumns(channels)}
      rowKey={keyOf}
      actions={
        <>
          <ViewChoice view="lines" />
          <ExportButton operation={tuitionPayment.exportJournalAsCsv} filters={chosen} label={t.csv} />
          <ExportButton operation={tuitionPayment.exportJournal} filters={chosen} label={t.xlsx} />
        </>
      }
      empty={{ title: t.noLines, about: t.noLinesAbout }}
    />
  );
}

const keyOf = ({ kind, time, orderNo, refundNo, adjustmentId, amount }: Line): string =>
  [kind, time, orderNo, refundNo, adjustmentId, amount].join(" ");

function useChannels(): Readonly<Record<string, string>> {
  const { hand } = useTexts();
  const { gateways } = useOrderTexts();
  const { kinds } = useAdjustmentTexts();
  const money = adjustmentKinds.filter((kind) => kind !== "deferral");
  return {
    ...Object.fromEntries(gatewayNames.map((name) => [name, gateways[name]])),
    hand,
    ...Object.fromEntries(money.map((kind) => [kind, kinds[kind]])),
  };
}

const money = <R extends object>(field: keyof R & string, title: string): Column<R> => ({
  field,
  title,
  width: 116,
  align: "right",
  render: (row) => formatAmount(row[field] as number),
});

function useLineColumns(channels: Readonly<Record<string, string>>): Column<Line>[] {
  const t = useTexts();
  return [
    { field: "time", title: t.time, width: 165 },
    { field: "kind", title: t.kind, width: 104, wraps: true, render: ({ kind }) => t.kinds[kind] },
    {
      field: "channel",
      title: t.channel,
      width: 112,
      wraps: true,
      render: ({ channel }) => channels[channel] ?? channel,
    },
    money<Line>("amount", t.amount),
    { field: "studentName", title: t.student, width: 92 },
    { field: "studentNo", title: t.studentNo, width: 116 },
    { field: "orderNo", title: t.orderNo, width: 232, render: (line) => <Source line={line} /> },
    { field: "tradeNo", title: t.tradeNo, width: 200, hidden: true },
    { field: "refundNo", title: t.refundNo, width: 150, hidden: true },
    { field: "receiptNo", title: t.receiptNo, width: 130, hidden: true },
    { field: "evidence", title: t.evidence, width: 130, wraps: true },
    { field: "by", title: t.by, width: 100, hidden: true },
  ];
}

function Source({ line: { orderNo, payableId } }: { readonly line: Line }) {
  const t = useTexts();
  if (orderNo !== null)
    return (
      <Link to={`/tuition-payment/orders?open=${orderNo}`} aria-label={t.openOrder(orderNo)}>
        {orderNo}
      </Link>
    );
  return payableId === null ? null : <Link to={`/tuition-payment/payables?open=${payableId}`}>{t.openPayable}</Link>;
}

function Balances() {
  const t = useTexts();
  const channels = useChannels();
  return (
    <ListPage
      title={t.journal}
      about={t.balancesAbout}
      name="tuition-payment/balances"
      operation={tuitionPayment.readBalances}
      filters={[
        { kind: "date", name: "startDate", label: t.startDate },
        { kind: "date", name: "endDate", label: t.endDate },
      ]}
      columns={[
        { field: "date", title: t.date, width: 110 },
        {
          field: "channel",
          title: t.channel,
          width: 150,
          render: ({ channel }) => channels[channel] ?? channel,
        },
        money<Balance>("received", t.received),
        money<Balance>("returned", t.returned),
        money<Balance>("balance", t.balance),
      ]}
      rowKey={({ date, channel }) => `${date} ${channel}`}
      actions={<ViewChoice view="balances" />}
      empty={{ title: t.noLines, about: t.noLinesAbout }}
    />
  );
}
