import { Empty, Skeleton } from "antd";
import type { ReactNode } from "react";
import { attendance } from "#console/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount, joinWords } from "#console/blocks/format.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import type { DataOf } from "#console/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { useMonthImports } from "#console/pages/attendance/import/import-table.tsx";
import { WarningList } from "#console/pages/attendance/import/task-list.tsx";
import type { Month } from "#console/pages/attendance/month-page.tsx";
import { texts } from "#console/pages/attendance/texts.ts";

// The server lists no more.
const mostPeople = 2000;

type Unmatched = DataOf<typeof attendance.listUnmatched>;

const useUnmatched = ({ month }: Month) => useRead(attendance.listUnmatched, { query: { month } });

/** What there is to tell of the month as it is now, and of its list of identity cards. */
function useWarnings({ month }: Month): readonly string[] {
  const { data } = useRead(attendance.findStatus, { query: { month } });
  const imports = useMonthImports(month).data ?? [];
  const identities = imports.find((record) => record.sheet === "work" && record.outcome === "done");
  const texts = [data?.waring ?? "", identities?.waring ?? ""];
  return [...new Set(texts.flatMap((waring) => waring.split("\n")).filter((line) => line !== ""))];
}

/** How many things there are to check. */
export function useProblemCount(month: Month): number {
  const { data } = useUnmatched(month);
  return useWarnings(month).length + (data?.people.length ?? 0) + (data?.results.length ?? 0);
}

/** What a person should look at: warnings, people who are not in every sheet, results that no rule knows. */
export function MonthProblems({ month }: { readonly month: Month }) {
  const t = useTexts(texts);
  const warnings = useWarnings(month);
  const { data, error, refetch } = useUnmatched(month);
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active />;
  return (
    <div className="q-attendance-problems">
      <Part title={t.warningsTitle} count={warnings.length} none={t.noWarnings}>
        <WarningList waring={warnings.join("\n")} />
      </Part>
      <Part title={t.unmatchedTitle} about={t.unmatchedAbout} count={data.people.length} none={t.noUnmatched}>
        <PeopleTable people={data.people} />
        {data.people.length >= mostPeople && <p className="q-soft">{t.mostListed}</p>}
      </Part>
      <Part title={t.unknownTitle} about={t.unknownAbout} count={data.results.length} none={t.noUnknown}>
        <ResultTable results={data.results} />
      </Part>
    </div>
  );
}

interface PartProps {
  readonly title: string;
  readonly about?: string;
  readonly count: number;
  readonly none: string;
  readonly children: ReactNode;
}

const Part = ({ title, about, count, none, children }: PartProps) => (
  <section>
    <h2 className="q-attendance-part">
      {title} <b className="q-figures">{formatCount(count)}</b> {count > 0 && <small className="q-soft">{about}</small>}
    </h2>
    {count === 0 ? <Empty image={null} description={none} className="q-attendance-none" /> : children}
  </section>
);

function PeopleTable({ people }: { readonly people: Unmatched["people"] }) {
  const t = useTexts(texts);
  const choices = [...new Set(people.flatMap(({ sheet, lackedBy }) => [sheet, lackedBy]))];
  return (
    <Records
      density="small"
      rowKey={({ sheet, lackedBy, userId, workNum, workName }) => [sheet, lackedBy, userId, workNum, workName].join()}
      rows={people}
      empty={null}
      pageSize={20}
      columns={[
        { title: t.name, field: "workName", width: 160 },
        { title: t.workNum, field: "workNum", width: 120, render: ({ workNum }) => workNum || "—" },
        { title: t.userId, field: "userId", width: 220, render: ({ userId }) => userId || "—" },
        { title: t.inSheet, field: "sheet", width: 140, choices },
        { title: t.lackedBy, field: "lackedBy", width: 140, choices },
        { title: t.rows, field: "rows", width: 80, align: "right" },
      ]}
    />
  );
}

function ResultTable({ results }: { readonly results: Unmatched["results"] }) {
  const t = useTexts(texts);
  return (
    <Records
      density="small"
      rowKey={({ sheet, result }) => `${sheet}${result}`}
      rows={results}
      empty={null}
      pageSize={20}
      columns={[
        { title: t.result, field: "result", width: 260 },
        { title: t.inSheet, field: "sheet", width: 140 },
        { title: t.count, field: "count", width: 80, align: "right" },
        { title: t.examples, field: "examples", width: 300, render: ({ examples }) => joinWords(examples) },
      ]}
    />
  );
}
