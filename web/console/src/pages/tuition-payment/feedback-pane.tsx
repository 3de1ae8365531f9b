import { IfMay } from "#console/blocks/if-may.tsx";
import { Button, Descriptions, Skeleton, Space } from "antd";
import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/tuition-payment/texts.ts";

interface FeedbackPaneProps {
  readonly id: number;
  readonly neighbours: { readonly previous?: number | undefined; readonly next?: number | undefined };
  readonly onOpen: (id: number | undefined) => void;
}

/** The right of the inbox: one feedback whole, and on to the next. */
export function FeedbackPane({ id, neighbours: { previous, next }, onOpen }: FeedbackPaneProps) {
  const t = useTexts(texts);
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
