import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useTexts } from "#public/tuition/texts.ts";

type Feedback = RecordOf<typeof tuitionPayment.listOwnFeedback>;

export function FeedbackText({
  feedback: { feedbackInfo, statu, publishTime, handleTime, reply },
}: {
  readonly feedback: Feedback;
}) {
  const t = useTexts();
  return (
    <>
      <span className="tag" data-tone={statu === "2" ? "good" : "warn"}>
        {t.feedbackStates[statu]}
      </span>
      <p className="tuition-said">{feedbackInfo}</p>
      <p className="soft">
        {t.published(publishTime)}
        {handleTime !== null && <> · {t.handled(handleTime)}</>}
      </p>
      {reply !== undefined && (
        <blockquote className="tuition-reply">
          <strong>{t.reply}</strong>
          <p className="tuition-said">{reply}</p>
        </blockquote>
      )}
    </>
  );
}
