import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { addDays, formatCount, today } from "#console/blocks/format.ts";
import { everyMs, StatCard } from "#console/blocks/stat-card.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useMay } from "#console/session/session.ts";
import { useTexts } from "#console/pages/tuition-payment/home/texts.ts";
import { formatFen } from "#shared/money.ts";

const list = "/tuition-payment/payables";

const useTotal = (filter: { readonly pay: boolean } | { readonly overdue: "1" }) =>
  useRead(tuitionPayment.listPayables, { query: { ...filter, curPage: 1, pageSize: 1 } }, { everyMs });

export function TuitionFigures() {
  const t = useTexts();
  const unpaid = useTotal({ pay: false });
  const paid = useTotal({ pay: true });
  const may = useMay();
  return (
    <div className="q-stats">
      <StatCard label={t.unpaid} value={show(unpaid)} unit={t.unit} to={`${list}?state=due`} />
      <StatCard
        label={t.paid}
        value={show(paid)}
        unit={t.unit}
        about={paid.data && unpaid.data && t.share(formatShare(paid.data.totalCount, unpaid.data.totalCount))}
        to={`${list}?state=paid`}
      />
      {/* Accounts with a scope may not read the order figures, so they see the number of overdue payables. */}
      {may(tuitionPayment.readOrderFigures) ? <OrderFigures /> : <Overdue />}
    </div>
  );
}

const show = ({ isError, data }: ReturnType<typeof useTotal>) => (isError ? "—" : data && formatCount(data.totalCount));

function Overdue() {
  const t = useTexts();
  const overdue = useTotal({ overdue: "1" });
  return (
    <StatCard
      label={t.overdue}
      value={show(overdue)}
      unit={t.unit}
      tone={overdue.data?.totalCount ? "warning" : "default"}
      to={`${list}?overdue=1`}
    />
  );
}

const orders = "/tuition-payment/orders";

function OrderFigures() {
  const t = useTexts();
  const { data, isError } = useRead(tuitionPayment.readOrderFigures, {}, { everyMs });
  const { data: days } = useRead(tuitionPayment.listReconciledDays, {}, { everyMs });
  const yesterday = addDays(today(), -1);
  const booked = days?.filter(({ date }) => date === yesterday).reduce((sum, day) => sum + day.booked, 0);
  const show = (count: number | undefined) => (isError ? "—" : count !== undefined ? formatCount(count) : undefined);
  return (
    <>
      <StatCard
        label={t.today}
        value={show(data?.paidToday)}
        unit={t.unit}
        about={
          data && (
            <>
              <span>{formatFen(Math.round(data.amountToday * 100))}</span>
              {booked !== undefined && <br />}
              {booked !== undefined && t.yesterday(formatCount(booked))}
            </>
          )
        }
        to={`${orders}?sort=payTime&order=desc`}
      />
      <StatCard label={t.open} value={show(data?.openOrders)} unit={t.unit} to={orders} />
      {data !== undefined && data.runningRefunds > 0 && (
        <StatCard label={t.refunds} value={show(data.runningRefunds)} unit={t.unit} to={`${orders}?status=refunding`} />
      )}
    </>
  );
}

const formatShare = (part: number, rest: number): string =>
  part + rest === 0 ? "—" : `${((part / (part + rest)) * 100).toFixed(1)}%`;
