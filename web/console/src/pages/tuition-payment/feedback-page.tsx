import { Input, Segmented } from "antd";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { formatCount } from "#console/blocks/format.ts";
import { useListState, useOpened } from "#console/blocks/list-page/address.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useFollowing } from "#console/blocks/use-following.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { FeedbackList } from "#console/pages/tuition-payment/feedback-list.tsx";
import { FeedbackPane } from "#console/pages/tuition-payment/feedback-pane.tsx";
import { texts } from "#console/pages/tuition-payment/texts.ts";
import "#console/pages/tuition-payment/tuition.css";

const everyMs = 60_000;
const states = ["1", "2", "all"] as const;
type State = (typeof states)[number];

/** What students have to say, as an inbox: what waits first, one after another. */
export function FeedbackPage() {
  const t = useTexts(texts);
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

/** The ids before and after the one that is shown, as the list has them. */
function findNeighbours(rows: readonly { readonly id: number }[], shown: number) {
  const at = rows.findIndex(({ id }) => id === shown);
  // One that has left the list, processed meanwhile, is followed by the first.
  return at < 0 ? { next: rows[0]?.id } : { previous: rows[at - 1]?.id, next: rows[at + 1]?.id };
}
