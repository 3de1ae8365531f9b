import type { ReactNode } from "react";
import { Copy, useCode } from "#public/blocks/code.tsx";
import { Shell } from "#public/blocks/shell.tsx";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { useReading } from "#shared/call/use-reading.ts";
import { reporting } from "#shared/api/reporting.ts";
import { callWith } from "#shared/call/exchange.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { place } from "#shared/place.ts";
import { useTexts } from "#public/report/texts.ts";
import { Supplement } from "#public/report/supplement.tsx";
import { toReceiptAddress } from "#public/report/draft.ts";

type Report = DataOf<typeof reporting.readReceipt>;

export function Receipt({ receipt }: { readonly receipt: string }): ReactNode {
  const t = useTexts();
  const { data, failure, isReading, retry } = useReading(receipt, (signal) =>
    callWith(reporting.readReceipt, { params: { receipt } }, { signal }),
  );
  const isUnknown = failure instanceof CallFailure && failure.code === "10005";
  return (
    <Shell title={t.receiptTitle} back={place.page}>
      {data && <ReportFacts report={data} />}
      {data && isReturned(data) && <Supplement receipt={receipt} done={retry} />}
      {data && (
        <button className="button" type="button" disabled={isReading} onClick={retry}>
          {t.refresh}
        </button>
      )}
      {!data && isReading && <Waiting />}
      {isUnknown && <Unknown />}
      {failure && !isUnknown && <Failed failure={failure} retry={retry} />}
      {data && <Keep receipt={receipt} />}
      <a className="button" href={place.base + place.page}>
        {data ? t.another : t.begin}
      </a>
    </Shell>
  );
}

const isReturned = ({ valid, status, delStatus }: Report): boolean => valid === 3 && status === 1 && delStatus === 1;

function Unknown(): ReactNode {
  const t = useTexts();
  return (
    <div className="note" data-tone="bad" role="alert">
      <h2>{t.noReceipt}</h2>
      <p>{t.noReceiptAbout}</p>
    </div>
  );
}

function ReportFacts({ report }: { readonly report: Report }): ReactNode {
  const t = useTexts();
  return (
    <section className="card stack">
      <h2 className="report-name">{report.entryName}</h2>
      <dl className="facts">
        <dt>{t.status}</dt>
        <dd className="row">
          <StateTags report={report} />
        </dd>
        <dt>{t.ps}</dt>
        <dd>{report.ps ?? t.noPs}</dd>
        <dt>{t.reportingTime}</dt>
        <dd>{report.reportingTime}</dd>
      </dl>
      <h3>{t.changes}</h3>
      <ol className="report-changes">
        {report.changes.map(({ what, time, ps }) => (
          <li key={`${what} ${time}`}>
            {t.events[what]} <time className="soft">{time}</time>
            {ps && <div>{ps}</div>}
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Keep({ receipt }: { readonly receipt: string }): ReactNode {
  const t = useTexts();
  const address = toReceiptAddress(receipt);
  const picture = useCode(address);
  return (
    <section className="card report-keep">
      {picture && (
        <>
          <img src={picture} alt={t.qr} width={232} height={232} />
          <p className="soft">{t.qrAbout}</p>
        </>
      )}
      {picture === null && <p className="soft">{t.qrFailed}</p>}
      <p className="report-link">{address}</p>
      <div className="row">
        {picture && (
          <a className="button" href={picture} download={`${receipt}.png`}>
            {t.save}
          </a>
        )}
        <Copy text={address} />
      </div>
    </section>
  );
}

interface StateTagsProps {
  readonly report: { readonly status: 0 | 1; readonly delStatus: 0 | 1; readonly valid: 0 | 1 | 2 | 3 };
}

const tones = { 0: undefined, 1: "good", 2: "bad", 3: "warn" } as const;

export function StateTags({ report: { status, delStatus, valid } }: StateTagsProps): ReactNode {
  const t = useTexts();
  if (delStatus === 0) return <span className="tag">{t.states.deleted}</span>;
  return (
    <>
      <span className="tag" data-tone={tones[valid]}>
        {t.verdicts[valid]}
      </span>
      {/* An invalid report needs nothing more, so it is not shown as in progress. */}
      {!(valid === 2 && status === 1) && <span className="tag">{status === 0 ? t.states.closed : t.states.open}</span>}
    </>
  );
}
