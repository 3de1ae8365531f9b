import { Button, Descriptions, Empty, Input, Pagination, Segmented, Skeleton, Space } from "antd";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { formatCount } from "#console/blocks/format.ts";
import { useListState, useOpened } from "#console/blocks/list-page/address.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/tuition-payment/texts.ts";
import { Status } from "#console/blocks/status.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { IfMay } from "#console/blocks/buttons.tsx";
import { Link } from "react-router";
import { useState } from "react";
import "#console/pages/tuition-payment/tuition.css";
import "#console/blocks/inbox.css";

const everyMs = 60_000;
const states = ["1", "2", "all"] as const;
type State = (typeof states)[number];

export function FeedbackPage() {
  const t = useTexts();
  const [{ filters, page, size }, change] = useListState();
  const [opened, open] = useOpened();
  const state = states.find((one) => one === filters["status"]) ?? "1";
  const keyword = filters["keyword"] ?? "";
  const [typed, setTyped] = useFollowing(keyword);
  const query = { keyword, curPage: page, pageSize: size, ...(state !== "all" && { status: state }) };
  const { data, error, refetch } = useRead(tuitionPayment.listFeedback, { query }, { keep: true });
  const { data: counts } = useRead(tuitionPayment.countFeedback, {}, { everyMs });
  const rows = data?.list ?? [];
  const shown = opened ?? rows[0]?.id;
  const countOf = (of: State) =>
    counts && { 1: counts.unprocessed, 2: counts.processed, all: counts.unprocessed + counts.processed }[of];
  const search = (next: Partial<Record<"status" | "keyword", string>>) =>
    change({ filters: { ...filters, ...next }, page: 1 });
  return (
    <>
      <PageHead title={t.feedback} about={t.feedbackAbout} />
      <div className="q-card q-inbox-bar">
        <Segmented<State>
          aria-label={t.feedbackState}
          value={state}
          options={states.map((value) => {
            const count = countOf(value);
            return { value, label: count === undefined ? t.states[value] : `${t.states[value]} ${formatCount(count)}` };
          })}
          onChange={(status) => search({ status })}
        />
        <Input.Search
          allowClear
          className="q-inbox-search"
          aria-label={t.feedbackKeyword}
          placeholder={t.feedbackKeyword}
          value={typed}
          maxLength={255}
          enterButton={t.search}
          onChange={({ target }) => setTyped(target.value)}
          onSearch={(text) => search({ keyword: text.trim() })}
        />
      </div>
      {error ? (
        <Failure failure={error} onRetry={refetch} />
      ) : (
        <div className="q-inbox">
          <FeedbackList
            data={data}
            empty={keyword !== "" ? "noMatch" : state}
            shown={shown === undefined ? undefined : Number(shown)}
            onOpen={open}
            onPage={(next) => change({ page: next })}
          />
          {shown !== undefined && (
            // Each has its own, and each list: the next can be processed while the last is still being sent.
            <FeedbackPane
              key={`${state} ${shown}`}
              id={Number(shown)}
              neighbours={findNeighbours(rows, Number(shown))}
              onOpen={open}
            />
          )}
        </div>
      )}
    </>
  );
}

function findNeighbours(rows: readonly { readonly id: number }[], shown: number) {
  const at = rows.findIndex(({ id }) => id === shown);
  // One that has left the list, processed meanwhile, is followed by the first.
  return at < 0 ? { next: rows[0]?.id } : { previous: rows[at - 1]?.id, next: rows[at + 1]?.id };
}

interface FeedbackListProps {
  readonly data: DataOf<typeof tuitionPayment.listFeedback> | undefined;
  readonly empty: "1" | "2" | "all" | "noMatch";
  readonly shown: number | undefined;
  readonly onOpen: (id: number) => void;
  readonly onPage: (page: number) => void;
}

function FeedbackList({ data, empty, shown, onOpen, onPage }: FeedbackListProps) {
  const t = useTexts();
  if (!data)
    return (
      <section className="q-card">
        <Skeleton active />
      </section>
    );
  if (data.list.length === 0)
    return (
      <section className="q-card q-inbox-none">
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.noFeedback[empty]}>
          <p className="q-soft">{t.noFeedbackAbout[empty]}</p>
        </Empty>
      </section>
    );
  return (
    <nav className="q-card q-inbox-list" aria-label={t.feedback}>
      <ul>
        {data.list.map(({ id, feedbackPersonName: name, feedbackInfo: info, publishTime, statu }) => (
          <li key={id}>
            <button type="button" aria-current={id === shown} onClick={() => onOpen(id)}>
              <span className="q-inbox-line">
                <strong>{name}</strong>
                <Status tone={statu === "1" ? "warning" : "default"}>{t.states[statu]}</Status>
              </span>
              <span className="q-cut">{info}</span>
              <span className="q-soft q-figures">{publishTime}</span>
            </button>
          </li>
        ))}
      </ul>
      <Pagination
        size="small"
        simple
        hideOnSinglePage
        current={data.currPage}
        pageSize={data.pageSize}
        total={data.totalCount}
        onChange={onPage}
      />
    </nav>
  );
}

interface FeedbackPaneProps {
  readonly id: number;
  readonly neighbours: { readonly previous?: number | undefined; readonly next?: number | undefined };
  readonly onOpen: (id: number | undefined) => void;
}

function FeedbackPane({ id, neighbours: { previous, next }, onOpen }: FeedbackPaneProps) {
  const t = useTexts();
  const { data, error, refetch } = useRead(tuitionPayment.findFeedback, { params: { id } });
  const process = useChange(tuitionPayment.processFeedback, { done: t.processed });
  // Not told when this is gone by then: whoever has gone on meanwhile is not led away again.
  const finish = () => process.mutate({ params: { id } }, { onSuccess: () => onOpen(next ?? previous) });
  return (
    <section className="q-card q-inbox-pane" aria-label={t.feedbackContent}>
      {error && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active />}
      {data && (
        <>
          <div className="q-inbox-line">
            <h2>{data.feedbackPersonName}</h2>
            <Status tone={data.statu === "1" ? "warning" : "default"}>{t.states[data.statu]}</Status>
          </div>
          <p className="q-value q-inbox-text">{data.feedbackInfo}</p>
          <Descriptions
            size="small"
            column={1}
            items={[
              { key: "phone", label: t.phone, children: data.feedbackPersonPhone },
              {
                key: "card",
                label: t.cardNumber,
                children: (
                  <Link to={`/tuition-payment/payables?keyword=${encodeURIComponent(data.feedbackPersonIdentify)}`}>
                    {t.cardPayables(data.feedbackPersonIdentify)}
                  </Link>
                ),
              },
              { key: "publishTime", label: t.publishTime, children: data.publishTime },
              ...(data.handleTime === null
                ? []
                : [{ key: "handleTime", label: t.handleTime, children: data.handleTime }]),
            ]}
          />
        </>
      )}
      <Space wrap className="q-inbox-foot">
        {data?.statu === "1" && (
          <IfMay operation={tuitionPayment.processFeedback}>
            <Button type="primary" loading={process.isPending} onClick={finish}>
              {next === undefined ? t.process : t.processAndNext}
            </Button>
          </IfMay>
        )}
        <Button disabled={previous === undefined} onClick={() => onOpen(previous)}>
          {t.previous}
        </Button>
        <Button disabled={next === undefined} onClick={() => onOpen(next)}>
          {t.next}
        </Button>
      </Space>
    </section>
  );
}

/**
 * A text that a person types, and that is what the address says again whenever that has changed: by a search, a link, or
 * by going back. The field keeps the cursor, which one that is made anew with each address would lose.
 */
function useFollowing(told: string): readonly [typed: string, type: (text: string) => void] {
  const [typed, type] = useState(told);
  const [followed, follow] = useState(told);
  if (followed !== told) {
    follow(told);
    type(told);
  }
  return [typed, type];
}
