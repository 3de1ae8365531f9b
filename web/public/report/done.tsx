import { type ReactNode, useEffect, useRef } from "react";
import { place } from "#shared/place.ts";
import { Keep } from "./keep.tsx";
import { toReceiptPath } from "./receipt-path.ts";
import { useReportTexts } from "./texts.ts";

/** What a submission leaves in the hand: the receipt. */
export function Done({ receipt }: { readonly receipt: string }): ReactNode {
  const t = useReportTexts();
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
