import { Empty, Input, Segmented, Skeleton } from "antd";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { formatCount } from "#console/blocks/format.ts";
import { useListState } from "#console/blocks/list-page/address.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { callWith } from "#console/call/call.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/tuition-payment/texts.ts";
import { Status } from "#console/blocks/status.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { Details } from "#console/blocks/detail-drawer.tsx";
import { Queue, type QueueControls } from "#console/blocks/queue/queue.tsx";
import { type Verdict, Verdicts } from "#console/blocks/queue/verdicts.tsx";
import { Link } from "react-router";
import { useState } from "react";
import "#console/pages/tuition-payment/tuition.css";

const everyMs = 60_000;
const states = ["1", "2", "all"] as const;
type State = (typeof states)[number];

export function FeedbackPage() {
  const t = useTexts();
  const [{ filters, page, size }, change] = useListState();
  const state = states.find((one) => one === filters["status"]) ?? "1";
  const keyword = filters["keyword"] ?? "";
  const [typed, setTyped] = useFollowing(keyword);
  const query = {
    keyword,
    curPage: page,
    pageSize: size,
    ...(state !== "all" && { status: state }),
    ...(state === "1" && ({ orderField: "publishTime", order: "asc" } as const)),
  };
  const { data, error, refetch } = useRead(tuitionPayment.listFeedback, { query }, { keep: true });
  const { data: counts } = useRead(tuitionPayment.countFeedback, {}, { everyMs });
  const empty = keyword === "" ? state : "noMatch";
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
      {error && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active className="q-card" />}
      {data && (
        <Queue
          label={t.feedback}
          service="tuition-payment"
          page={data}
          reread={refetch}
          idOf={({ id }) => id}
          entry={(feedback) => <FeedbackEntry feedback={feedback} />}
          {...(state !== "1" && { tellCount: t.feedbackCount })}
          empty={
            <section className="q-card q-inbox-pane">
              <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.noFeedback[empty]}>
                <p className="q-soft">{t.noFeedbackAbout[empty]}</p>
              </Empty>
            </section>
          }
          onPage={(next) => change({ page: next })}
        >
          {(feedback, controls) => <FeedbackCase feedback={feedback} controls={controls} />}
        </Queue>
      )}
    </>
  );
}

type Feedback = RecordOf<typeof tuitionPayment.listFeedback>;

function FeedbackEntry({ feedback: { feedbackPersonName, feedbackInfo, publishTime, statu } }: FeedbackProps) {
  const t = useTexts();
  return (
    <>
      <span className="q-inbox-line">
        <strong>{feedbackPersonName}</strong>
        <Status tone={statu === "1" ? "warning" : "default"}>{t.states[statu]}</Status>
      </span>
      <span className="q-cut">{feedbackInfo}</span>
      <span className="q-soft q-figures">{publishTime}</span>
    </>
  );
}

interface FeedbackProps {
  readonly feedback: Feedback;
}

interface FeedbackCaseProps extends FeedbackProps {
  readonly controls: QueueControls;
}

function FeedbackCase({ feedback, controls }: FeedbackCaseProps) {
  const t = useTexts();
  const { id, feedbackPersonName: name, feedbackInfo, statu, reply } = feedback;
  const answer: Verdict = {
    letter: "R",
    label: t.answer,
    said: t.answered(name),
    needs: tuitionPayment.answerFeedback,
    look: "primary",
    reason: "needed",
    send: (text = "", options) =>
      callWith(tuitionPayment.answerFeedback, { params: { id }, body: { reply: text } }, options),
  };
  const process: Verdict = {
    letter: "D",
    label: t.process,
    said: t.processed(name),
    needs: tuitionPayment.processFeedback,
    send: (_reason, options) => callWith(tuitionPayment.processFeedback, { params: { id } }, options),
  };
  return (
    <section aria-label={t.feedbackContent}>
      <div className="q-inbox-line">
        <h2>{name}</h2>
        <Status tone={statu === "1" ? "warning" : "default"}>{t.states[statu]}</Status>
      </div>
      <p className="q-value q-inbox-text">{feedbackInfo}</p>
      <Verdicts
        controls={controls}
        reasons={[]}
        maxReason={512}
        verdicts={[...(reply === undefined ? [answer] : []), ...(statu === "1" ? [process] : [])]}
      />
      <Details details={describeFeedback(feedback, t)} />
    </section>
  );
}

// An identity card must not be in an address, and neither it nor a masked number finds a payable.
const isNoKeyword = /\*|^\d{15}(?:\d\d[\dX])?$/i;

const toKeyword = ({ feedbackPersonIdentify: card, feedbackPersonName: name }: Feedback): string =>
  isNoKeyword.test(card) ? name : card;

const describeFeedback = (feedback: Feedback, t: ReturnType<typeof useTexts>) => [
  { label: t.phone, value: feedback.feedbackPersonPhone },
  {
    label: t.cardNumber,
    value: (
      <Link to={`/tuition-payment/payables?keyword=${encodeURIComponent(toKeyword(feedback))}`}>
        {t.cardPayables(feedback.feedbackPersonIdentify)}
      </Link>
    ),
  },
  { label: t.publishTime, value: feedback.publishTime },
  ...(feedback.handleTime === null ? [] : [{ label: t.handleTime, value: feedback.handleTime }]),
  ...(feedback.reply === undefined ? [] : [{ label: t.reply, value: feedback.reply, wide: true }]),
];

/**
 * Returns the state of a text input that follows the address when a search, a link or Back changes the address. A new
 * input for each address would lose the cursor.
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
