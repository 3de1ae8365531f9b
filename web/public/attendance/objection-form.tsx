import { type FormEvent, useRef, useState } from "react";
import { Field } from "#public/blocks/field.tsx";
import { Notice } from "#public/blocks/notice.tsx";
import { useSending } from "#public/blocks/use-sending.ts";
import { attendance } from "#shared/api/attendance.ts";
import { makeKey } from "#shared/call/exchange.ts";
import type { OwnDay } from "./day-kinds.ts";
import { ask, type Draft, draft, type Objection, type OwnMonth } from "./employee.ts";
import { useTexts } from "./texts.ts";

interface FormProps {
  readonly day: OwnDay;
  readonly month: OwnMonth;
  readonly onSent: () => void;
  readonly onCancel: () => void;
}

const kinds = ["forgot", "outside", "leave", "system", "other"] as const;
const mostFiles = 3;

export function ObjectionForm({ day, month, onSent, onCancel }: FormProps) {
  const t = useTexts();
  const [{ kind, text, times }, setTyped] = useState<Omit<Draft, "day">>(() => {
    const kept = draft.get();
    const kind = day.kind === "outside" ? "outside" : "forgot";
    return { kind, text: "", times: { 上班: "", 下班: "" }, ...(kept?.day === day.date && kept) };
  });
  // A changed objection is another request, which needs a new idempotency key.
  const key = useRef(makeKey());
  const uploaded = useRef(new Map<File, string>());
  const change = (part: Partial<Draft>) => {
    const now = { kind, text, times, ...part };
    setTyped(now);
    key.current = makeKey();
    draft.set({ ...now, day: day.date });
  };
  const [files, setFiles] = useState<readonly File[]>([]);
  const [isTried, setTried] = useState(false);
  const { isSending, failure, send } = useSending();
  const isTooMany = files.length > mostFiles;
  const submit = async () => {
    for (const file of files)
      if (!uploaded.current.has(file)) uploaded.current.set(file, await ask(attendance.uploadOwnFile, { file }));
    const names = files.flatMap((file) => uploaded.current.get(file) ?? []);
    const punches = Object.entries(times).flatMap(([slot, time]) => (time === "" ? [] : { slot, time }));
    const { month: of, groupOfCheck } = month;
    const body = { month: of, groupOfCheck, day: day.number, kind, text, files: names, punches };
    await ask(attendance.object, { body }, { idempotencyKey: key.current });
    draft.forget();
    onSent();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (text.trim() !== "" && !isTooMany) send(submit);
  };
  const time = (slot: "上班" | "下班", label: string) => (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="time"
          value={times[slot]}
          onInput={(event) => change({ times: { ...times, [slot]: event.currentTarget.value } })}
        />
      )}
    </Field>
  );
  return (
    <form className="stack" noValidate onSubmit={onSubmit}>
      <h3>{t.wrongTitle(day.date)}</h3>
      <Field needed label={t.kind}>
        {(control) => (
          <select
            {...control}
            value={kind}
            onChange={(event) => change({ kind: event.currentTarget.value as Objection["kind"] })}
          >
            {kinds.map((each) => (
              <option key={each} value={each}>
                {t.objectionKinds[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field needed label={t.text} hint={t.textHint} error={isTried && text.trim() === "" ? t.textNeeded : undefined}>
        {(control) => (
          <textarea
            {...control}
            rows={3}
            maxLength={500}
            value={text}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        )}
      </Field>
      {(kind === "forgot" || kind === "system") && (
        <div className="own-times">
          {time("上班", t.arrived)}
          {time("下班", t.left)}
        </div>
      )}
      <Field label={t.files} hint={t.filesHint} error={isTooMany ? t.tooManyFiles : undefined}>
        {(control) => (
          <input
            {...control}
            type="file"
            multiple
            onChange={(event) => {
              setFiles([...(event.currentTarget.files ?? [])]);
              key.current = makeKey();
            }}
          />
        )}
      </Field>
      {failure && <Notice tone="bad" title={failure.message} />}
      <div className="row">
        <button type="submit" className="button" data-kind="main" disabled={isSending}>
          {t.send}
        </button>
        <button type="button" className="button" data-kind="quiet" onClick={onCancel}>
          {t.cancel}
        </button>
      </div>
    </form>
  );
}
