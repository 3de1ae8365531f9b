import { Empty } from "#public/blocks/states.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { FeedbackForm } from "./feedback-form.tsx";
import { Notice } from "./notice.tsx";
import { OwnList } from "./own-list.tsx";
import { ask } from "./student.ts";
import { SureButton } from "./sure-button.tsx";
import { texts } from "./texts.ts";
import { useOwnPages } from "./use-own-pages.ts";
import { useSending } from "./use-sending.ts";

/** What the student has to say, and what has become of it. */
export function FeedbackPage() {
  const t = useTexts(texts);
  const pages = useOwnPages(tuitionPayment.listOwnFeedback);
  return (
    <>
      <p className="soft">{t.feedbackAbout}</p>
      <FeedbackForm onSent={pages.retry} />
      <h2>{t.own}</h2>
      <OwnList pages={pages} empty={<Empty>{t.noFeedback}</Empty>}>
        {(feedback) => (
          <li key={feedback.id}>
            <FeedbackCard feedback={feedback} onRemoved={pages.retry} />
          </li>
        )}
      </OwnList>
    </>
  );
}

interface FeedbackCardProps {
  readonly feedback: RecordOf<typeof tuitionPayment.listOwnFeedback>;
  readonly onRemoved: () => void;
}

function FeedbackCard({
  feedback: { id, feedbackInfo, statu, publishTime, handleTime },
  onRemoved,
}: FeedbackCardProps) {
  const t = useTexts(texts);
  const { isSending, failure, send } = useSending();
  const remove = async () => {
    await ask(tuitionPayment.deleteFeedback, { params: { id } });
    onRemoved();
  };
  return (
    <article className="card stack">
      <span className="tag" data-tone={statu === "2" ? "good" : "warn"}>
        {t.feedbackStates[statu]}
      </span>
      <p className="tuition-said">{feedbackInfo}</p>
      <p className="soft">
        {t.published(publishTime)}
        {handleTime !== null && <> · {t.handled(handleTime)}</>}
      </p>
      {failure && <Notice tone="bad" title={failure.message} />}
      <SureButton
        label={t.remove}
        sure={t.removeSure}
        keep={t.keepFeedback}
        isBusy={isSending}
        onSure={() => send(remove)}
      />
    </article>
  );
}
