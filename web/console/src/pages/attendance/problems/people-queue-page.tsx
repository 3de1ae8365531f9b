import { Descriptions, Empty, Skeleton } from "antd";
import { useParams } from "react-router";
import { Failure } from "#console/blocks/failure.tsx";
import { ButtonLink } from "#console/blocks/buttons.tsx";
import { useListState } from "#console/blocks/list-page/address.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import { Queue, type QueueControls } from "#console/blocks/queue/queue.tsx";
import type { Decision } from "#console/blocks/queue/use-decisions.ts";
import { type Verdict, Verdicts } from "#console/blocks/queue/verdicts.tsx";
import { callWith } from "#console/call/call.ts";
import { useRead } from "#console/call/use-call.ts";
import { toMatch } from "#console/pages/attendance/problems/by-sheet.tsx";
import { EmployeeSearch, useEmployeeWords } from "#console/pages/attendance/problems/people-table.tsx";
import {
  isStranger,
  type Month,
  type Unmatched,
  useSheetNames,
  useUnmatched,
} from "#console/pages/attendance/records.ts";
import { useLockTexts, useProblemTexts, useTexts as usePageTexts } from "#console/pages/attendance/texts.ts";
import { useMay } from "#console/session/session.ts";
import { attendance } from "#shared/api/attendance.ts";
import "#console/pages/attendance/attendance.css";

type Stranger = Unmatched["people"][number];
type Employee = Stranger["candidates"][number];

const pageSize = 20;

/** Shows a month's unmatched people, sorted by their number of rows from most to fewest. */
export function PeopleQueuePage() {
  const { month: name = "" } = useParams();
  const t = { ...usePageTexts(), ...useProblemTexts() };
  const [{ page }, change] = useListState();
  const months = useRead(attendance.listMonths, {});
  const { data, error, refetch } = useUnmatched({ month: name });
  const month = months.data?.find((each) => each.month === name);
  const people = (data?.people ?? []).filter(isStranger).toSorted((one, other) => other.rows - one.rows);
  return (
    <>
      <PageHead title={t.queueTitle(name)} about={t.unmatchedAbout}>
        <ButtonLink to={`/attendance/months/${name}?tab=problems`}>{t.monthTitle(name)}</ButtonLink>
      </PageHead>
      {error && <Failure failure={error} onRetry={refetch} />}
      {!(data && month) && !error && <Skeleton active />}
      {data && month && (
        <Queue
          label={t.unmatchedTitle}
          service="attendance"
          page={{
            list: people.slice((page - 1) * pageSize, page * pageSize),
            totalCount: people.length,
            currPage: page,
            pageSize,
          }}
          reread={refetch}
          idOf={({ kind, userId, workNum, workName }) => [kind, userId, workNum, workName].join()}
          entry={(person) => <Entry person={person} />}
          empty={
            <section className="q-card q-inbox-pane">
              <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.noUnmatched} />
            </section>
          }
          onPage={(next) => change({ page: next })}
        >
          {(person, controls) => <Case month={month} person={person} controls={controls} />}
        </Queue>
      )}
    </>
  );
}

function Entry({ person: { workName, sheet, rows } }: { readonly person: Stranger }) {
  const t = usePageTexts();
  const nameSheet = useSheetNames();
  return (
    <>
      <strong>{workName}</strong>
      <span className="q-soft q-figures">{t.said(nameSheet(sheet), t.rowsCount(String(rows)))}</span>
    </>
  );
}

interface CaseProps {
  readonly month: Month;
  readonly person: Stranger;
  readonly controls: QueueControls;
}

function Case({ month: { month, locked }, person, controls }: CaseProps) {
  const t = { ...usePageTexts(), ...useProblemTexts() };
  const { forbidsSettling } = useLockTexts();
  const may = useMay();
  const nameSheet = useSheetNames();
  const describe = useEmployeeWords();
  const { workName, workNum, userId, sheet, lackedBy, rows } = person;
  const decide = (said: string, ...whom: [as: string, group?: string]): Decision => ({
    said,
    send: (options) => callWith(attendance.match, { body: { month, ...toMatch(person, ...whom) } }, options),
  });
  const decideOn = ({ workName: name, userId: as, groupOfCheck }: Employee) =>
    decide(t.choose(workName, name), as, groupOfCheck);
  const offer = (letter: string, label: string, { said, send }: Decision): Verdict => ({
    letter,
    label,
    said,
    needs: attendance.match,
    send: (_reason, options) => send(options),
  });
  const candidates = person.candidates.filter((one) => one.userId !== "");
  const verdicts = [
    ...candidates.map((one, n) => offer(String(n + 1), describe(one), decideOn(one))),
    offer("N", t.nobody, decide(t.nobodyNamed(workName), "")),
  ];
  const facts = [
    [t.inSheet, nameSheet(sheet)],
    [t.lackedBy, nameSheet(lackedBy)],
    [t.rows, rows],
    [t.workNum, workNum],
    [t.userId, userId],
  ] as const;
  return (
    <>
      <h2>{workName}</h2>
      <Verdicts verdicts={locked ? [] : verdicts} reasons={[]} maxReason={0} controls={controls} />
      {locked ? (
        <p className="q-soft">{forbidsSettling}</p>
      ) : (
        may(attendance.match) && (
          <EmployeeSearch
            month={month}
            label={t.searchNamed(workName)}
            isBusy={false}
            onChosen={(employee) => controls.decide(decideOn(employee))}
          />
        )
      )}
      <Descriptions
        size="small"
        column={1}
        items={facts.filter(([, value]) => value !== "").map(([label, children]) => ({ key: label, label, children }))}
      />
    </>
  );
}
