import { IfMay } from "#console/blocks/buttons.tsx";
import { AuditOutlined } from "@ant-design/icons";
import { Alert, Button } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { formatCount, joinWords, today } from "#console/blocks/format.ts";
import { formatInstant } from "#shared/instant.ts";
import { useListState } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";
import { formatAmount } from "#console/pages/tuition-payment/payable.tsx";
import {
  type GatewayName,
  gatewayNames,
  useAboutGateways,
  useGateways,
} from "#console/pages/tuition-payment/orders/order.tsx";
import { DayCalendar } from "#console/pages/tuition-payment/reconciliation/day-calendar.tsx";
import { GatewayTrials } from "#console/pages/tuition-payment/orders/gateway-trials.tsx";
import { useOrderTexts, useReconciliationTexts as useTexts } from "#console/pages/tuition-payment/texts.ts";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import "#console/pages/tuition-payment/tuition.css";

type Difference = RecordOf<typeof tuitionPayment.listReconciliation>;
type Outcome = DataOf<typeof tuitionPayment.runReconciliation>;

const types = ["long", "short", "mismatch"] as const satisfies readonly Difference["type"][];

export function ReconciliationPage() {
  const t = useTexts();
  const [{ filters }, change] = useListState();
  const lastGateway = useLastGateway();
  const about = useAboutGateways(t.reconciliationAbout);
  const [outcome, setOutcome] = useState<Outcome>();
  const [running, setRunning] = useState(false);
  const runButton = (
    <IfMay operation={tuitionPayment.runReconciliation}>
      <Button type="primary" icon={<AuditOutlined aria-hidden />} onClick={() => setRunning(true)}>
        {t.run}
      </Button>
    </IfMay>
  );
  const show = (done: Outcome) => {
    setOutcome(done);
    change({ filters: { date: done.date, gateway: done.gateway }, page: 1 });
  };
  return (
    <>
      <ListPage
        title={t.reconciliation}
        about={about}
        name="tuition-payment/reconciliation"
        operation={tuitionPayment.listReconciliation}
        filters={useFilters()}
        columns={useColumns()}
        rowName={({ orderNo }) => orderNo}
        actions={runButton}
        empty={{ title: t.noRows, about: t.noRowsAbout }}
      >
        <GatewayTrials />
        <DayCalendar
          chosen={{ date: filters["date"], gateway: filters["gateway"] }}
          onChoose={(day) => change({ filters: { ...day }, page: 1 })}
        />
        {outcome && <OutcomeNote outcome={outcome} onClose={() => setOutcome(undefined)} />}
      </ListPage>
      {running && (
        <RunDrawer
          gateway={gatewayNames.find((name) => name === filters["gateway"]) ?? lastGateway}
          date={filters["date"]}
          onClose={() => setRunning(false)}
          onDone={show}
        />
      )}
    </>
  );
}

function useLastGateway(): GatewayName | undefined {
  const { data } = useRead(tuitionPayment.listOrders, { query: { status: "paid", curPage: 1, pageSize: 1 } });
  return data?.list[0]?.gateway ?? undefined;
}

function OutcomeNote({ outcome, onClose }: { readonly outcome: Outcome; readonly onClose: () => void }) {
  const t = useTexts();
  const { gateways } = useOrderTexts();
  const found = types.filter((type) => outcome[type] > 0);
  const matched = formatCount(outcome.matched);
  const isEmpty = found.length === 0 && outcome.matched === 0;
  return (
    <Alert
      showIcon
      closable={{ onClose }}
      className="q-reconciled"
      type={isEmpty ? "info" : found.length === 0 ? "success" : "warning"}
      title={t.runDone(gateways[outcome.gateway], outcome.date)}
      description={
        isEmpty
          ? t.noTransactions
          : found.length === 0
            ? t.agrees(matched)
            : `${t.differs(matched)}${joinWords(found.map((type) => t.counts(t.types[type], formatCount(outcome[type]))))}`
      }
    />
  );
}

function useFilters(): Field[] {
  const t = useTexts();
  const { gateways } = useOrderTexts();
  return [
    { kind: "date", name: "date", label: t.date },
    {
      kind: "select",
      name: "handled",
      label: t.handled,
      options: (["false", "true"] as const).map((value) => ({ value, label: t.handledStates[value] })),
    },
    {
      kind: "select",
      name: "gateway",
      label: t.gateway,
      options: gatewayNames.map((value) => ({ value, label: gateways[value] })),
    },
    { kind: "select", name: "type", label: t.type, options: types.map((value) => ({ value, label: t.types[value] })) },
    { kind: "text", name: "orderNo", label: t.orderNo, placeholder: t.orderNoHelp, max: 30 },
  ];
}

function useColumns(): Column<Difference>[] {
  const t = useTexts();
  const { gateways } = useOrderTexts();
  const money = (field: "ourAmount" | "theirAmount", title: string, width: number): Column<Difference> => ({
    field,
    title,
    width,
    align: "right",
    render: (row) => <Amount amount={row[field]} />,
  });
  return [
    { field: "orderNo", title: t.orderNo, width: 232, sortable: true, render: (row) => <OrderLink {...row} /> },
    { field: "date", title: t.date, width: 104, sortable: true },
    { field: "gateway", title: t.gateway, width: 100, render: ({ gateway }) => gateways[gateway] },
    { field: "tradeNo", title: t.tradeNo, width: 190, hidden: true },
    { field: "type", title: t.type, width: 146, render: ({ type }) => t.types[type] },
    money("ourAmount", t.ourAmount, 120),
    money("theirAmount", t.theirAmount, 144),
    {
      field: "handled",
      title: t.handled,
      width: 150,
      wraps: true,
      render: ({ handled, note }) => (
        <>
          <Status tone={handled ? "success" : "warning"}>{t.handledStates[handled ? "true" : "false"]}</Status>
          {note !== null && <div className="q-value">{note}</div>}
        </>
      ),
    },
    actionColumn(t.actions, 84, ({ id, type, orderNo, handled }) =>
      handled ? null : (
        <Link to={`/tuition-payment/desk?kind=${type}&open=d${id}`} aria-label={t.toDeskNamed(orderNo)}>
          {t.toDesk}
        </Link>
      ),
    ),
  ];
}

function OrderLink({ orderNo }: Pick<Difference, "orderNo">) {
  const t = useTexts();
  return (
    <Link to={`/tuition-payment/orders?open=${orderNo}`} aria-label={t.openOrder(orderNo)}>
      {orderNo}
    </Link>
  );
}

function Amount({ amount }: { readonly amount: number | null }) {
  const t = useTexts();
  if (amount === null) return <span className="q-soft">{t.none}</span>;
  return amount < 0 ? `${formatAmount(amount)} (${t.refundLine})` : formatAmount(amount);
}

interface Given {
  readonly gateway: GatewayName;
  readonly date: string;
}

interface RunDrawerProps {
  readonly gateway: GatewayName | undefined;
  readonly date: string | undefined;
  readonly onClose: () => void;
  readonly onDone: (outcome: Outcome) => void;
}

const dayMs = 86_400_000;

const yesterday = (): string => formatInstant(Date.now() - dayMs).slice(0, 10);

function RunDrawer({ gateway, date, onClose, onDone }: RunDrawerProps) {
  const t = useTexts();
  const { gateways } = useOrderTexts();
  const configured = useGateways();
  // A gateway that is not configured is offered if a link names it; the server's error is shown after the attempt.
  const offered = gatewayNames.filter((name) => configured?.includes(name) !== false || name === gateway);
  const run = useChange(tuitionPayment.runReconciliation, { quiet: true });
  const fields: Field[] = [
    {
      kind: "choices",
      name: "gateway",
      label: t.gateway,
      required: true,
      options: offered.map((value) => ({ value, label: gateways[value] })),
    },
    {
      kind: "date",
      name: "date",
      label: t.date,
      required: true,
      check: (value) => (typeof value === "string" && value > today() ? t.afterToday : undefined),
    },
  ];
  return (
    <FormDrawer<Given>
      title={t.runTitle}
      needs={tuitionPayment.runReconciliation}
      fields={fields}
      initial={{
        date: date ?? yesterday(),
        ...(gateway !== undefined && { gateway }),
      }}
      onSave={async (body) => onDone(await run.mutateAsync({ body }))}
      onClose={onClose}
      saveText={t.run}
    >
      <p className="q-soft">{t.runAbout}</p>
    </FormDrawer>
  );
}
