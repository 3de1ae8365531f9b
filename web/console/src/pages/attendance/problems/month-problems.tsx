import { Alert, Skeleton } from "antd";
import type { ReactNode } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { ButtonLink } from "#console/blocks/buttons.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount, joinWords } from "#console/blocks/format.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import type { Decisions } from "#console/blocks/queue/use-decisions.ts";
import { useRead } from "#console/call/use-call.ts";
import { useMonthImports } from "#console/pages/attendance/import/import-table.tsx";
import { WarningList } from "#console/pages/attendance/import/import-parts.tsx";
import {
  useDifferenceTexts,
  useLockTexts,
  usePlaceTexts,
  useProblemTexts as useOwnTexts,
  useTexts,
} from "#console/pages/attendance/texts.ts";
import {
  hasPunches,
  isStranger,
  type Month,
  type Unmatched,
  useSheetNames,
  useUnmatched,
  useUnplaced,
} from "#console/pages/attendance/records.ts";
import { AddressPlaces } from "#console/pages/attendance/problems/address-places.tsx";
import { DifferenceTable, useDifferences } from "#console/pages/attendance/problems/difference-table.tsx";
import {
  HeldSheet,
  SettleBySheet,
  UndoBySheet,
  useSheetDecisions,
} from "#console/pages/attendance/problems/by-sheet.tsx";
import { PeopleTable, SettledTable } from "#console/pages/attendance/problems/people-table.tsx";
import { CheckCircleFilled, ExclamationCircleFilled } from "@ant-design/icons";
import { AnalyseButton } from "#console/pages/attendance/month-steps.tsx";

const mostPeople = 2000;

function useWarnings({ month }: Month): readonly string[] {
  const { data } = useRead(attendance.findStatus, { query: { month } });
  const imports = useMonthImports(month).data ?? [];
  const identities = imports.find((record) => record.sheet === "work" && record.outcome === "done");
  const texts = [data?.waring ?? "", identities?.waring ?? ""];
  return [...new Set(texts.flatMap((waring) => waring.split("\n")).filter((line) => line !== ""))];
}

export function useProblemCount(month: Month): number {
  const { people = [], results = [], addresses = [] } = useUnmatched(month).data ?? {};
  return people.filter(isStranger).length + results.length + addresses.length;
}

export function MonthProblems({ month }: { readonly month: Month }) {
  const t = { ...useTexts(), ...useOwnTexts() };
  const difference = useDifferenceTexts();
  const warnings = useWarnings(month);
  const { data: differences = [] } = useDifferences(month);
  const { data, error, refetch } = useUnmatched(month);
  const { decisions, hide } = useSheetDecisions();
  const shown = data && hide(data);
  const parts = useOpenParts(month, shown, decisions);
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!shown) return <Skeleton active />;
  const { people, settled } = shown;
  const lacking = people.filter((person) => !isStranger(person));
  return (
    <div className="q-attendance-problems">
      <HeldSheet decisions={decisions} />
      <ToAnalyse month={month} />
      {parts.map((part) => (
        <Part key={part.title} {...part} />
      ))}
      <Part title={t.lackingTitle} about={t.lackingAbout} count={lacking.length} none={t.noLacking}>
        <PeopleTable month={month} people={lacking} />
      </Part>
      {month.statu === 2 && (
        <Part
          title={difference.title}
          about={difference.about}
          count={differences.length}
          none={difference.none}
          isCovered={hasPunches(month)}
        >
          <DifferenceTable month={month.month} differences={differences} />
        </Part>
      )}
      {settled.length > 0 && (
        <Part title={t.settledTitle} count={settled.length} none="">
          <div className="q-buttons">
            <UndoBySheet month={month} settled={settled} decisions={decisions} />
          </div>
          <SettledTable month={month} settled={settled} />
        </Part>
      )}
      <Part title={t.warningsTitle} count={warnings.length} none={t.noWarnings}>
        <WarningList waring={warnings.join("\n")} />
      </Part>
    </div>
  );
}

function useOpenParts(
  month: Month,
  data: Unmatched | undefined,
  decisions: Decisions,
): (PartProps & { readonly touched: number })[] {
  const t = { ...useTexts(), ...useOwnTexts() };
  const place = usePlaceTexts();
  const { forbidsSettling } = useLockTexts();
  const isAbove = useUnplaced(month).length > 0;
  if (!data) return [];
  const { addresses, results } = data;
  const strangers = data.people.filter(isStranger).toSorted((one, other) => other.rows - one.rows);
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  return [
    {
      title: place.title,
      about: isAbove ? place.above : place.about,
      count: addresses.length,
      touched: sum(addresses.map(({ count }) => count)),
      none: place.none,
      isCovered: month.punches > 0,
      children: !isAbove && <AddressPlaces month={month} addresses={addresses} />,
    },
    {
      title: t.unmatchedTitle,
      about: month.locked ? forbidsSettling : t.unmatchedAbout,
      count: strangers.length,
      touched: sum(strangers.map(({ rows }) => rows)),
      none: t.noUnmatched,
      isCovered: month.punches > 0 && data.people.length === 0,
      children: (
        <>
          <div className="q-buttons">
            <SettleBySheet month={month} people={strangers} decisions={decisions} />
            {!month.locked && <ButtonLink to={`/attendance/months/${month.month}/people`}>{t.oneByOne}</ButtonLink>}
          </div>
          <PeopleTable month={month} people={strangers} />
          {data.people.length >= mostPeople && <p className="q-soft">{t.mostListed}</p>}
        </>
      ),
    },
    {
      title: t.unknownTitle,
      about: t.unknownAbout,
      count: results.length,
      touched: sum(results.map(({ count }) => count)),
      none: t.noUnknown,
      isCovered: month.punches > 0,
      children: <ResultTable results={results} />,
    },
  ].toSorted((one, other) => other.touched - one.touched);
}

interface PartProps {
  readonly title: string;
  readonly about?: string;
  readonly count: number;
  readonly none: string;
  readonly touched?: number;
  /** True if an empty list means that all is resolved, and not that data is missing. */
  readonly isCovered?: boolean;
  readonly children: ReactNode;
}

function Part({ title, about, count, none, touched = 0, isCovered, children }: PartProps) {
  const t = useOwnTexts();
  const said = count === 0 ? none : about;
  return (
    <section>
      <h2 className="q-attendance-part">
        {count === 0 && isCovered === true && <CheckCircleFilled className="q-attendance-good" />}
        {count > 0 && isCovered !== undefined && <ExclamationCircleFilled className="q-attendance-some" />} {title}{" "}
        <b className="q-figures">{formatCount(count)}</b>{" "}
        {touched > 0 && <small className="q-figures">{t.touches(formatCount(touched))}</small>}
      </h2>
      {said && <p className="q-soft">{said}</p>}
      {count > 0 && children}
    </section>
  );
}

function ResultTable({ results }: { readonly results: Unmatched["results"] }) {
  const t = useTexts();
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

function ToAnalyse({ month }: { readonly month: Month }) {
  const t = useOwnTexts();
  const { statu, employees } = month;
  if ((statu !== 0 && statu !== 3) || employees === 0) return null;
  return (
    <Alert
      type="warning"
      showIcon
      role="status"
      className="q-attendance-to-analyse"
      title={t.toAnalyse}
      description={t.toAnalyseAbout}
      action={<AnalyseButton month={month} />}
    />
  );
}
