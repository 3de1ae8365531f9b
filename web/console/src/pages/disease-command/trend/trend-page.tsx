import { Skeleton } from "antd";
import type { ReactNode } from "react";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import type { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#shared/language/language.ts";
import "#console/pages/disease-command/records/page.css";
import { texts } from "#console/pages/disease-command/trend/texts.ts";
import { TrendViews } from "#console/pages/disease-command/trend/trend-views.tsx";

interface TrendPageProps {
  readonly title: string;
  /** The address of the list. */
  readonly list: string;
  /** undefined while they are read. */
  readonly days: readonly string[] | undefined;
  readonly failure: CallFailure | null;
  readonly onRetry: () => void;
  /** The charts; not shown without a day. */
  readonly children: ReactNode;
}

/** The figures of a list by day, as charts. */
export function TrendPage({ title, list, days, failure, onRetry, children }: TrendPageProps) {
  const t = useTexts(texts);
  return (
    <>
      <PageHead title={title} about={days && days.length > 0 && t.lastDays(days.length)}>
        <TrendViews list={list} view="trend" />
      </PageHead>
      {failure ? (
        <section className="q-card">
          <Failure failure={failure} onRetry={onRetry} />
        </section>
      ) : days === undefined ? (
        <section className="q-card">
          <Skeleton active />
        </section>
      ) : days.length === 0 ? (
        <section className="q-card">
          <p className="q-soft">{t.nothing}</p>
        </section>
      ) : (
        children
      )}
    </>
  );
}
