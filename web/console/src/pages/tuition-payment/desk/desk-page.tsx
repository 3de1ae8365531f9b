import { Empty, Pagination, Segmented, Select, Skeleton, Space } from "antd";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { useListState, useOpened } from "#console/blocks/list-page/address.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useRead } from "#console/call/use-call.ts";
import { DeskCase } from "#console/pages/tuition-payment/desk/desk-case.tsx";
import { deskKinds, type DeskRow, letters, showMoney } from "#console/pages/tuition-payment/desk/desk-row.ts";
import { pressButton } from "#console/blocks/press-button.ts";
import { useTexts } from "#console/pages/tuition-payment/desk/texts.ts";
import { useOrderTexts } from "#console/pages/tuition-payment/texts.ts";
import "#console/pages/tuition-payment/desk/desk.css";
import "#console/pages/tuition-payment/tuition.css";
import "#console/blocks/inbox.css";

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
    // What waits longest comes first.
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
        <span className="q-soft q-desk-keys">{t.keys}</span>
      </div>
      {error && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active className="q-card" />}
      {data?.list.length === 0 && (
        <section className="q-card">
          <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.nothing[state]}>
            <p className="q-soft">{t.nothingAbout[state]}</p>
          </Empty>
        </section>
      )}
      {data !== undefined && data.list.length > 0 && (
        <Queue rows={data.list} before={(data.currPage - 1) * data.pageSize} total={data.totalCount}>
          <Pagination
            size="small"
            simple
            hideOnSinglePage
            current={data.currPage}
            pageSize={data.pageSize}
            total={data.totalCount}
            onChange={(next) => change({ page: next })}
          />
        </Queue>
      )}
    </>
  );
}

interface QueueProps {
  readonly rows: readonly DeskRow[];
  /** How many come before them. */
  readonly before: number;
  readonly total: number;
  readonly children: ReactNode;
}

function Queue({ rows, before, total, children }: QueueProps) {
  const t = useTexts();
  const [opened, open] = useOpened();
  const [place, row] = usePlace(rows, opened);
  const desk = useRef<HTMLElement>(null);
  const focus = () => desk.current?.focus({ preventScroll: true });
  const id = row?.id;
  // What has been decided about leaves the list, and takes the field along in which somebody typed.
  useEffect(() => {
    if (document.activeElement === document.body) focus();
    if (opened !== undefined && id !== undefined && id !== opened) open(id, { replace: true });
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [id]);
  const [previous, next] = [rows[place - 1], rows[place + 1]];
  const goTo = (to: DeskRow | undefined) => {
    if (to) open(to.id);
    focus();
  };
  return (
    // Its keys are those of buttons in it, heard while the focus is anywhere inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={desk}
      tabIndex={-1}
      className="q-inbox q-desk"
      aria-label={t.desk}
      aria-keyshortcuts="J K"
      onKeyDown={(event) => pressButton(event, letters)}
    >
      <nav className="q-card q-inbox-list" aria-label={t.desk}>
        <ul>
          {rows.map((one) => (
            <QueueEntry key={one.id} row={one} isShown={one === row} onOpen={() => goTo(one)} />
          ))}
        </ul>
        {children}
      </nav>
      {row && (
        <DeskCase
          key={row.id}
          row={row}
          place={t.place(before + place + 1, total)}
          onPrevious={previous && (() => goTo(previous))}
          onNext={next && (() => goTo(next))}
          onDone={() => goTo(next ?? previous)}
          onGivenUp={focus}
        />
      )}
    </section>
  );
}

/** Which row is shown: the one of the address; when that has left the list, whichever took its place. */
function usePlace(rows: readonly DeskRow[], opened: string | undefined): readonly [number, DeskRow | undefined] {
  const at = rows.findIndex(({ id }) => id === opened);
  const [last, setLast] = useState(0);
  if (at >= 0 && at !== last) setLast(at);
  const place = at >= 0 ? at : Math.min(last, rows.length - 1);
  return [place, rows[place]];
}

interface QueueEntryProps {
  readonly row: DeskRow;
  readonly isShown: boolean;
  readonly onOpen: () => void;
}

function QueueEntry({ row, isShown, onOpen }: QueueEntryProps) {
  const t = useTexts();
  const { gateways } = useOrderTexts();
  return (
    <li>
      <button type="button" aria-current={isShown} onClick={onOpen}>
        <span className="q-inbox-line">
          <strong>{t.kinds[row.kind]}</strong>
          <span className="q-figures">{showMoney(row.theirAmount ?? row.amount ?? 0)}</span>
        </span>
        <span className="q-cut">{gateways[row.gateway]}</span>
        <span className="q-soft q-figures">{row.time}</span>
      </button>
    </li>
  );
}
