import { type ReactNode, useState } from "react";
import { Shell } from "#public/blocks/shell.tsx";
import { Empty, Failed, Waiting } from "#public/blocks/states.tsx";
import { useReading } from "#shared/call/use-reading.ts";
import { reporting } from "#shared/api/reporting.ts";
import { callWith } from "#shared/call/exchange.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { place } from "#shared/place.ts";
import { toReceiptPath } from "#public/report/draft.ts";
import { StateTags } from "#public/report/receipt.tsx";
import {
  forgetSubmitter,
  isSignedOut,
  signInByCode,
  type Submitter,
  submitterHeaders,
  told,
  toSignIn,
} from "./submitter.ts";
import { useTexts } from "./texts.ts";

export function OwnReports(): ReactNode {
  const t = useTexts();
  const signIn = useReading("sign-in", signInByCode);
  const [hasEnded, setEnded] = useState(false);
  const end = () => {
    forgetSubmitter();
    setEnded(true);
  };
  return (
    <Shell title={t.mine} back={place.page}>
      {signIn.isReading ? (
        <Waiting what={t.signingIn} />
      ) : signIn.data && !hasEnded ? (
        <List submitter={signIn.data} end={end} />
      ) : (
        <SignIn failure={signIn.failure} hasEnded={hasEnded} />
      )}
      <a className="button" data-kind={told.hasPlatform ? undefined : "main"} href={place.base + place.page}>
        {t.begin}
      </a>
    </Shell>
  );
}

function SignIn({ failure, hasEnded }: { readonly failure: Error | undefined; readonly hasEnded: boolean }): ReactNode {
  const t = useTexts();
  const address = toSignIn();
  return (
    <div className="card stack">
      {failure && (
        <div className="note" data-tone="bad" role="alert">
          <p>{t.signInFailed}</p>
          <p>{failure.message}</p>
        </div>
      )}
      {hasEnded && (
        <p className="note" data-tone="warn" role="alert">
          {t.signInEnded}
        </p>
      )}
      <p>{!told.hasPlatform ? t.signInOff : address ? t.signInAbout : t.signInThere}</p>
      {address && (
        <a className="button" data-kind="main" href={address}>
          {t.signIn}
        </a>
      )}
    </div>
  );
}

type OwnReport = RecordOf<typeof reporting.listOwnReports>;
const pageSize = 10;

function List({ submitter, end }: { readonly submitter: Submitter; readonly end: () => void }): ReactNode {
  const t = useTexts();
  const [pages, setPages] = useState(1);
  const { data, failure, isReading, retry } = useReading(String(pages), (signal) =>
    readPages(submitter, pages, signal).catch((error: unknown) => {
      if (isSignedOut(error)) end();
      throw error;
    }),
  );
  if (failure) return <Failed failure={failure} retry={retry} />;
  if (!data) return <Waiting />;
  if (data.totalCount === 0) return <Empty>{t.noneOwn}</Empty>;
  return (
    <>
      <p className="soft">{t.allOf(data.totalCount)}</p>
      <ul className="stack">
        {data.list.map((report) => (
          <OwnReportLine key={report.receipt} report={report} />
        ))}
      </ul>
      {data.list.length < data.totalCount && (
        <button className="button" type="button" disabled={isReading} onClick={() => setPages(pages + 1)}>
          {t.more}
        </button>
      )}
    </>
  );
}

/**
 * All pages are read again as one page of up to 1000 reports, so that no report is repeated or skipped after a new
 * submission.
 */
const readPages = (submitter: Submitter, pages: number, signal: AbortSignal) =>
  callWith(
    reporting.listOwnReports,
    { query: { pageSize: Math.min(pages * pageSize, 1000) } },
    { signal, headers: submitterHeaders(submitter) },
  );

const OwnReportLine = ({ report }: { readonly report: OwnReport }): ReactNode => (
  <li>
    <a className="card report-own" href={toReceiptPath(report.receipt)}>
      <strong>{report.entryName}</strong>
      <span className="row">
        <StateTags report={report} />
      </span>
      <span className="soft">{report.reportingTime}</span>
      {report.ps && <span>{report.ps}</span>}
    </a>
  </li>
);
