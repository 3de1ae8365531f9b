import { Empty, Pagination, Skeleton } from "antd";
import type { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { Status } from "#console/blocks/status.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/tuition-payment/texts.ts";

interface FeedbackListProps {
  readonly data: DataOf<typeof tuitionPayment.listFeedback> | undefined;
  /** Which words to say when there is none. */
  readonly empty: "1" | "2" | "all" | "noMatch";
  readonly shown: number | undefined;
  readonly onOpen: (id: number) => void;
  readonly onPage: (page: number) => void;
}

/** The left of the inbox: who wrote, when, and how it begins. */
export function FeedbackList({ data, empty, shown, onOpen, onPage }: FeedbackListProps) {
  const t = useTexts(texts);
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
              <span className="q-inbox-begin">{info}</span>
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
