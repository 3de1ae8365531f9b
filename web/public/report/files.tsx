import { type ReactNode, useId, useState } from "react";
import { useLine } from "#shared/call/line.ts";
import { place } from "#shared/place.ts";
import { mostFiles } from "./fields.ts";
import { type ReportTexts, useTexts } from "./texts.ts";
import type { Upload, Uploads, UploadState } from "./uploads.ts";

const accepted = ".png,.jpg,.jpeg,.gif,.webp,.pdf,.doc,.docx,.xls,.xlsx,.ppt,.pptx,.zip,.txt,.csv";

export function Files({ uploads }: { readonly uploads: Uploads }): ReactNode {
  const t = useTexts();
  const id = useId();
  const [wereTooMany, setTooMany] = useState(false);
  return (
    <div className="field">
      <label htmlFor={id}>{t.files}</label>
      <span className="field-hint" id={`${id}-hint`}>
        {t.filesHint(mostFiles, place.maxUploadMb)}
      </span>
      <div className="button report-choose">
        <span aria-hidden="true">{t.addFiles}</span>
        <input
          id={id}
          type="file"
          multiple
          accept={accepted}
          aria-describedby={`${id}-hint`}
          onChange={({ currentTarget }) => {
            setTooMany(uploads.add([...(currentTarget.files ?? [])]));
            // A browser reports no change if the same file is chosen again, unless the value was cleared.
            currentTarget.value = "";
          }}
        />
      </div>
      {wereTooMany && (
        <span className="field-error" role="alert">
          {t.tooManyFiles(mostFiles)}
        </span>
      )}
      {uploads.list.length > 0 && (
        <ul className="report-uploads">
          {uploads.list.map((upload) => (
            <UploadLine key={upload.id} upload={upload} uploads={uploads} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface UploadLineProps {
  readonly upload: Upload;
  readonly uploads: Uploads;
}

function UploadLine({ upload: { id, name, state }, uploads }: UploadLineProps): ReactNode {
  const t = useTexts();
  const { isDown } = useLine();
  const isFaulty = !["waiting", "sending", "done"].includes(state.is);
  return (
    <li data-state={state.is}>
      <span className="report-upload-name">{name}</span>
      {state.is === "sending" && <progress max={100} value={state.percent} aria-label={t.progressNamed(name)} />}
      <span className={isFaulty ? "field-error" : "soft"} role={isFaulty ? "alert" : undefined}>
        {describe(state, t)}
      </span>
      <span className="row">
        {state.is === "failed" && state.cause !== "file" && (
          <button
            className="button"
            type="button"
            aria-label={t.retryNamed(name)}
            disabled={isDown}
            onClick={() => uploads.retry(id)}
          >
            {t.retry}
          </button>
        )}
        <button
          className="button"
          data-kind="quiet"
          type="button"
          aria-label={t.removeNamed(name)}
          onClick={() => uploads.remove(id)}
        >
          {t.remove}
        </button>
      </span>
    </li>
  );
}

export function describe(state: UploadState, t: ReportTexts): string {
  if (state.is === "failed") return state.cause === "line" ? t.upload.cut : state.message;
  if (state.is === "sending") return state.percent < 100 ? t.upload.sending(state.percent) : t.upload.checking;
  if (state.is === "tooLarge") return t.upload.tooLarge(place.maxUploadMb);
  return t.upload[state.is];
}
