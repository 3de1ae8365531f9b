import { Empty, Segmented, Select, Skeleton, Space } from "antd";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { useListState } from "#console/blocks/list-page/address.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import { Queue } from "#console/blocks/queue/queue.tsx";
import { useRead } from "#console/call/use-call.ts";
import { DeskCase } from "#console/pages/tuition-payment/desk/desk-case.tsx";
import { deskKinds, type DeskRow, showMoney } from "#console/pages/tuition-payment/desk/desk-row.ts";
import { useTexts } from "#console/pages/tuition-payment/desk/texts.ts";
import { useOrderTexts } from "#console/pages/tuition-payment/texts.ts";
import "#console/pages/tuition-payment/desk/desk.css";
import "#console/pages/tuition-payment/tuition.css";

const everyMs = 60_000;
const states = ["false", "true"] as const;
type State = (typeof states)[number];

export function DeskPage() {
  const t = useTexts();
  const [{ filters, page, size }, change] = useListState();
  const state: State = filters["handled"] === "true" ? "true" : "false";
  const kind = deskKinds.find((one) => one === filters["kind"]);
  const isHandled = state === "true";
  const query = {
    handled: isHandled,
    ...(kind && { kind }),
    ...({ orderField: "time", order: isHandled ? "desc" : "asc" } as const),
    curPage: page,
    pageSize: size,
  };
  const { data, error, refetch } = useRead(tuitionPayment.listDesk, { query }, { keep: true, everyMs });
  return (
    <>
      <PageHead title={t.desk} about={t.deskAbout} />
      <div className="q-card q-inbox-bar">
        <Space wrap>
          <Segmented<State>
            aria-label={t.state}
            value={state}
            options={states.map((value) => ({ value, label: t.states[value] }))}
            onChange={(handled) => change({ filters: { ...filters, handled }, page: 1 })}
          />
          <Select
            className="q-desk-kinds"
            aria-label={t.kind}
            value={kind ?? ""}
            options={["" as const, ...deskKinds].map((value) => ({
              value,
              label: value === "" ? t.allKinds : t.kinds[value],
            }))}
            onChange={(next) => change({ filters: { ...filters, kind: next }, page: 1 })}
          />
        </Space>
      </div>
      {error && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active className="q-card" />}
      {data && (
        <Queue
          label={t.desk}
          service="tuition-payment"
          page={data}
          reread={refetch}
          idOf={({ id }) => id}
          entry={(row) => <QueueEntry row={row} />}
          {...(isHandled && { tellCount: t.handledCount })}
          empty={
            <section className="q-card q-inbox-pane">
              <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.nothing[state]}>
                <p className="q-soft">{t.nothingAbout[state]}</p>
              </Empty>
            </section>
          }
          onPage={(next) => change({ page: next })}
        >
          {(row, controls) => <DeskCase row={row} controls={controls} />}
        </Queue>
      )}
    </>
  );
}

function QueueEntry({ row }: { readonly row: DeskRow }) {
  const t = useTexts();
  const { gateways } = useOrderTexts();
  return (
    <>
      <span className="q-inbox-line">
        <strong>{t.kinds[row.kind]}</strong>
        <span className="q-figures">{showMoney(row.theirAmount ?? row.amount ?? 0)}</span>
      </span>
      <span className="q-cut">{gateways[row.gateway]}</span>
      <span className="q-soft q-figures">{row.time}</span>
    </>
  );
}
