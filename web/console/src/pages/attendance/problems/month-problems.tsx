import { Alert, Button, Skeleton } from "antd";
import { type ReactNode, useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount, joinWords } from "#console/blocks/format.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { useMonthImports } from "#console/pages/attendance/import/import-table.tsx";
import { WarningList } from "#console/pages/attendance/import/import-parts.tsx";
import { lockTexts, problemTexts as ownTexts, texts } from "#console/pages/attendance/texts.ts";
import { type Month, type Unmatched, useSheetNames } from "#console/pages/attendance/records.ts";
import { AddressTable } from "#console/pages/attendance/problems/address-table.tsx";
import { PeopleTable, SettledTable } from "#console/pages/attendance/problems/people-table.tsx";
import { PlayCircleOutlined } from "@ant-design/icons";
import { IfMay } from "#console/blocks/buttons.tsx";
import { useAnalyse } from "#console/pages/attendance/use-month.ts";

// The server lists no more.
const mostPeople = 2000;

const useUnmatched = ({ month }: Month) => useRead(attendance.listUnmatched, { query: { month } });

function useWarnings({ month }: Month): readonly string[] {
  const { data } = useRead(attendance.findStatus, { query: { month } });
  const imports = useMonthImports(month).data ?? [];
  const identities = imports.find((record) => record.sheet === "work" && record.outcome === "done");
  const texts = [data?.waring ?? "", identities?.waring ?? ""];
  return [...new Set(texts.flatMap((waring) => waring.split("\n")).filter((line) => line !== ""))];
}

export function useProblemCount(month: Month): number {
  const { people = [], results = [], addresses = [] } = useUnmatched(month).data ?? {};
  return useWarnings(month).length + people.length + results.length + addresses.length;
}

export function MonthProblems({ month }: { readonly month: Month }) {
  const t = { ...useTexts(texts), ...useTexts(ownTexts) };
  const { forbidsSettling } = useTexts(lockTexts);
  const warnings = useWarnings(month);
  const { data, error, refetch } = useUnmatched(month);
  const [isTaken, setTaken] = useState(false);
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active />;
  const { people, settled, addresses, results } = data;
  return (
    <div className="q-attendance-problems">
      <ToAnalyse month={month} isKeywordTaken={isTaken} onStarted={() => setTaken(false)} />
      <Part title={t.warningsTitle} count={warnings.length} none={t.noWarnings}>
        <WarningList waring={warnings.join("\n")} />
      </Part>
      <Part
        title={t.unmatchedTitle}
        about={month.locked ? forbidsSettling : t.unmatchedAbout}
        count={people.length}
        none={t.noUnmatched}
      >
        <PeopleTable month={month} people={people} />
        {people.length >= mostPeople && <p className="q-soft">{t.mostListed}</p>}
      </Part>
      {settled.length > 0 && (
        <Part title={t.settledTitle} count={settled.length} none="">
          <SettledTable month={month} settled={settled} />
        </Part>
      )}
      <Part title={t.addressesTitle} about={t.addressesAbout} count={addresses.length} none={t.noAddresses}>
        <AddressTable addresses={addresses} onTaken={() => setTaken(true)} />
      </Part>
      <Part title={t.unknownTitle} about={t.unknownAbout} count={results.length} none={t.noUnknown}>
        <ResultTable results={results} />
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
    {count === 0 ? <p className="q-soft">{none}</p> : children}
  </section>
);

function ResultTable({ results }: { readonly results: Unmatched["results"] }) {
  const t = useTexts(texts);
  const nameSheet = useSheetNames();
  return (
    <Records
      density="small"
      rowKey={({ sheet, result }) => `${sheet}${result}`}
      rows={results}
      empty={null}
      pageSize={20}
      columns={[
        { title: t.result, field: "result", width: 260 },
        { title: t.inSheet, field: "sheet", width: 140, render: ({ sheet }) => nameSheet(sheet) },
        { title: t.count, field: "count", width: 80, align: "right" },
        { title: t.examples, field: "examples", width: 300, render: ({ examples }) => joinWords(examples) },
      ]}
    />
  );
}

interface ToAnalyseProps {
  readonly month: Month;
  readonly isKeywordTaken: boolean;
  readonly onStarted: () => void;
}

function ToAnalyse({ month: { month, statu, employees, locked }, isKeywordTaken, onStarted }: ToAnalyseProps) {
  const t = { ...useTexts(texts), ...useTexts(ownTexts) };
  const analyse = useAnalyse();
  const isOld = (statu === 0 || statu === 3) && employees > 0;
  if (statu === 1 || !(isOld || isKeywordTaken)) return null;
  const start = () => {
    analyse.mutate({ query: { month } });
    onStarted();
  };
  return (
    <Alert
      type="warning"
      showIcon
      role="status"
      className="q-attendance-to-analyse"
      title={isOld ? t.toAnalyse : locked ? t.keywordTakenLocked : t.keywordTaken}
      description={isOld ? t.toAnalyseAbout : undefined}
      action={
        !locked && (
          <IfMay operation={attendance.analyse}>
            <Button
              type="primary"
              icon={<PlayCircleOutlined aria-hidden />}
              loading={analyse.isPending}
              onClick={start}
            >
              {t.analyseAgain}
            </Button>
          </IfMay>
        )
      }
    />
  );
}
