import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Shell } from "#public/blocks/shell.tsx";
import { place } from "#shared/place.ts";
import { type Draft, forgetDraft, keepDraft, newDraft, readDraft, toReceiptPath } from "#public/report/draft.ts";
import { forgetReceipts, listReceipts, rememberReceipt } from "#public/report/receipts.ts";
import { Steps } from "#public/report/steps.tsx";
import { currentSubmitter, type Submitter, told, useSubmitter } from "#public/report/submitter.ts";
import { useTexts } from "#public/report/texts.ts";
import { Keep } from "#public/report/receipt.tsx";

export function Registration(): ReactNode {
  const t = useTexts();
  const [draft, setDraft] = useState(() => fillIn(readDraft(), currentSubmitter()));
  const [receipt, setReceipt] = useState<string>();
  const change = useCallback(
    (part: (last: Draft) => Partial<Draft>) => setDraft((last) => ({ ...last, ...part(last) })),
    [],
  );
  const welcome = useCallback((signedIn: Submitter) => setDraft((last) => fillIn(last, signedIn)), []);
  const submitter = useSubmitter(welcome);
  // The draft is saved before paint, so that it matches what is shown even if the user leaves the page immediately.
  useLayoutEffect(() => (receipt === undefined ? keepDraft(draft) : forgetDraft()), [draft, receipt]);
  const done = (made: string) => {
    // The step is cleared from the history entry, so that a reload starts a new report.
    history.replaceState(null, "");
    if (made !== "") rememberReceipt(made, draft.values.entryName);
    setReceipt(made);
  };
  return (
    <Shell title={t.title}>
      {receipt === undefined ? (
        <>
          {submitter.current && <p className="note">{t.signedIn}</p>}
          <Steps
            draft={draft}
            change={change}
            submitter={submitter}
            startOver={() => setDraft(newDraft())}
            done={done}
          />
          <p className="soft">{t.kept}</p>
          <DeviceReceipts />
          {told.hasPlatform && (
            <a className="button" data-kind="quiet" href={`${place.base}${place.page}mine`}>
              {t.mine}
            </a>
          )}
        </>
      ) : (
        <Done receipt={receipt} />
      )}
    </Shell>
  );
}

function DeviceReceipts(): ReactNode {
  const t = useTexts();
  const [receipts, setReceipts] = useState(listReceipts);
  if (receipts.length === 0) return null;
  const forget = () => {
    if (!window.confirm(t.forgetAsked)) return;
    forgetReceipts();
    setReceipts([]);
  };
  return (
    <section className="stack" aria-labelledby="report-receipts">
      <h2 id="report-receipts">{t.ofDevice}</h2>
      <ul className="stack">
        {receipts.map(({ receipt, entryName, atMs }) => (
          <li key={receipt}>
            <a className="card report-own" href={toReceiptPath(receipt)}>
              <strong>{entryName}</strong>
              <span className="soft">{new Date(atMs).toLocaleString("sv-SE")}</span>
            </a>
          </li>
        ))}
      </ul>
      <button className="button" data-kind="quiet" type="button" onClick={forget}>
        {t.forget}
      </button>
    </section>
  );
}

function fillIn(draft: Draft, submitter: Submitter | undefined): Draft {
  const known = submitter?.phone ?? "";
  const { wxPhone, phone } = draft.values;
  return { ...draft, values: { ...draft.values, wxPhone: wxPhone || known, phone: phone || known } };
}

function Done({ receipt }: { readonly receipt: string }): ReactNode {
  const t = useTexts();
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  return (
    <>
      <div className="note" data-tone="good" role="status">
        <h2 ref={head} tabIndex={-1}>
          {t.done}
        </h2>
        {receipt !== "" && <p>{t.doneAbout}</p>}
      </div>
      {receipt !== "" && (
        <>
          <a className="button" data-kind="main" href={toReceiptPath(receipt)}>
            {t.receipt}
          </a>
          <Keep receipt={receipt} />
        </>
      )}
      <a className="button" href={place.base + place.page}>
        {t.another}
      </a>
    </>
  );
}
