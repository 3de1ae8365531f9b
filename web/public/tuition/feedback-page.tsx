import { Empty } from "#public/blocks/states.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { Notice } from "#public/blocks/notice.tsx";
import { OwnList, useOwnPages } from "#public/tuition/own-list.tsx";
import { ask } from "#public/tuition/student.ts";
import { SureButton } from "#public/tuition/sure-button.tsx";
import { useTexts, type TuitionTexts } from "#public/tuition/texts.ts";
import { useSending } from "#public/blocks/use-sending.ts";
import { useRef, useState } from "react";
import { Field } from "#public/blocks/field.tsx";
import { FeedbackText } from "#public/tuition/feedback-text.tsx";
import { makeKey } from "#shared/call/exchange.ts";
import { openKept } from "#public/tuition/kept.ts";

export function FeedbackPage() {
  const t = useTexts();
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

function FeedbackCard({
  feedback,
  onRemoved,
}: {
  readonly feedback: RecordOf<typeof tuitionPayment.listOwnFeedback>;
  readonly onRemoved: () => void;
}) {
  const t = useTexts();
  const { isSending, failure, send } = useSending();
  const remove = async () => {
    await ask(tuitionPayment.deleteFeedback, { params: { id: feedback.id } });
    onRemoved();
  };
  return (
    <article className="card stack">
      <FeedbackText feedback={feedback} />
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

interface Typed {
  readonly name: string;
  readonly phone: string;
  readonly text: string;
}

const kept = openKept<Typed & { readonly key: string }>("feedback");
const fields = ["name", "phone", "text"] as const;
const nothing: Typed = { name: "", phone: "", text: "" };
const mostText = 512;
const phonePattern = /^(?=.{5,32}$)[\d +()-]+(?:(?:转|x|ext\.) *\d[\d ]*)?$/i;

function findFault(field: keyof Typed, typed: Typed, t: TuitionTexts): string | undefined {
  const value = typed[field].trim();
  if (value === "") return t.required;
  return field === "phone" && !phonePattern.test(value) ? t.phoneWrong : undefined;
}

function useFeedback(onSent: () => void) {
  const t = useTexts();
  const [typed, setTyped] = useState(() => kept.get() ?? nothing);
  const [isTried, setIsTried] = useState(false);
  const [isSent, setIsSent] = useState(false);
  const key = useRef(kept.get()?.key ?? makeKey());
  const { isSending, failure, send } = useSending();
  const change = (part: Partial<Typed>) => {
    const now = { ...typed, ...part };
    setTyped(now);
    setIsSent(false);
    // Changed text is another request, which needs a new idempotency key.
    key.current = makeKey();
    kept.set({ ...now, key: key.current });
  };
  const errorOf = (field: keyof Typed) =>
    (isTried ? findFault(field, typed, t) : undefined) ??
    failure?.fields.find((each) => each.field === wireNames[field])?.message;
  const submit = () => {
    setIsTried(true);
    if (fields.some((field) => findFault(field, typed, t))) return;
    send(async () => {
      await ask(tuitionPayment.saveFeedback, { body: toBody(typed) }, { idempotencyKey: key.current });
      change(nothing);
      kept.forget();
      setIsTried(false);
      setIsSent(true);
      onSent();
    });
  };
  return { typed, change, errorOf, submit, isSending, isSent, failure };
}

function FeedbackForm({ onSent }: { readonly onSent: () => void }) {
  const t = useTexts();
  const { typed, change, errorOf, submit, isSending, isSent, failure } = useFeedback(onSent);
  return (
    <form
      className="card stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field needed label={t.name} error={errorOf("name")}>
        {(control) => (
          <input
            {...control}
            value={typed.name}
            maxLength={255}
            autoComplete="name"
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field needed label={t.phone} hint={t.phoneHelp} error={errorOf("phone")}>
        {(control) => (
          <input
            {...control}
            type="tel"
            value={typed.phone}
            maxLength={32}
            autoComplete="tel"
            onInput={(event) => change({ phone: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field needed label={t.text} hint={t.textLeft(mostText - [...typed.text].length)} error={errorOf("text")}>
        {(control) => (
          <textarea
            {...control}
            rows={5}
            value={typed.text}
            maxLength={mostText}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        )}
      </Field>
      {failure && failure.fields.length === 0 && <Notice tone="bad" title={failure.message} />}
      {isSent && <Notice tone="good" title={t.sent} />}
      <button type="submit" className="button" data-kind="main" data-wide="" disabled={isSending}>
        {t.send}
      </button>
    </form>
  );
}

const wireNames = { name: "feedbackPersonName", phone: "feedbackPersonPhone", text: "feedbackInfo" } as const;

const toBody = ({ name, phone, text }: Typed) => ({
  feedbackPersonName: name.trim(),
  feedbackPersonPhone: phone.trim(),
  feedbackInfo: text.trim(),
});
