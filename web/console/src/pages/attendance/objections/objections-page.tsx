import { Alert, Button, Descriptions, Empty, InputNumber, Skeleton } from "antd";
import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { nameFigure, useFigureNames } from "#shared/attendance/figure-names.ts";
import type { Given, RecordOf } from "#shared/call/operation.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { IfMay } from "#console/blocks/buttons.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { joinWords } from "#console/blocks/format.ts";
import { late } from "#console/blocks/late.tsx";
import { useListState } from "#console/blocks/list-page/address.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import { KeyButton } from "#console/blocks/queue/key-button.tsx";
import { Queue, type QueueControls } from "#console/blocks/queue/queue.tsx";
import { Verdicts } from "#console/blocks/queue/verdicts.tsx";
import { type CallOptions, callWith } from "#console/call/call.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/attendance/objections/texts.ts";
import { EvidenceList } from "#console/pages/attendance/person/day-detail.tsx";
import { useDownload } from "#console/pages/attendance/use-month.ts";
import "#console/pages/attendance/attendance.css";

type Objection = RecordOf<typeof attendance.listObjections>;
type Verdict = Given<(typeof endpoints)["judgeObjection"]>["body"];

const pageSize = 20;

// The table is larger than all other code of this page, and the objections need not wait for it.
const Confirmations = late(
  async () => (await import("#console/pages/attendance/objections/confirmations.tsx")).Confirmations,
  () => null,
);

export function ObjectionsPage() {
  const t = useTexts();
  const [{ page, filters }, change] = useListState();
  const { only, ...others } = filters;
  const query = {
    state: "open",
    orderField: "makeTime",
    curPage: page,
    pageSize,
    ...(only && { month: only }),
  } as const;
  const { data, error, refetch } = useRead(attendance.listObjections, { query }, { keep: true });
  return (
    <>
      <PageHead title={t.objections} about={t.objectionsAbout} />
      {only && (
        <Alert
          type="info"
          showIcon
          className="q-form-failure"
          title={t.onlyMonth(only)}
          action={
            <Button size="small" onClick={() => change({ filters: others, page: 1 })}>
              {t.allMonths}
            </Button>
          }
        />
      )}
      {error && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active />}
      {data && (
        <Queue
          label={t.objections}
          service="attendance"
          page={data}
          reread={refetch}
          idOf={({ id }) => id}
          entry={(row) => <Entry row={row} />}
          empty={
            <section className="q-card q-inbox-pane">
              <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.none}>
                <p className="q-soft">{t.noneAbout}</p>
              </Empty>
            </section>
          }
          onPage={(next) => change({ page: next })}
        >
          {(row, controls) => <Case row={row} controls={controls} />}
        </Queue>
      )}
      <Confirmations />
    </>
  );
}

function Entry({ row }: { readonly row: Objection }) {
  const t = useTexts();
  return (
    <>
      <span className="q-inbox-line">
        <strong>{row.workName}</strong>
        <span className="q-soft q-figures">{t.day(row.month, row.day)}</span>
      </span>
      <span className="q-cut">{row.text}</span>
    </>
  );
}

interface CaseProps {
  readonly row: Objection;
  readonly controls: QueueControls;
}

function Case({ row, controls }: CaseProps) {
  const t = useTexts();
  const [asksHours, setAsksHours] = useState(false);
  const said = (verdict: string) => t.judged(row.workName, verdict);
  const accepting = (letter: string, label: string, correction?: Verdict["correction"]) => ({
    letter,
    label,
    said: said(label),
    needs: attendance.judgeObjection,
    send: (_reason: string | undefined, options: CallOptions) =>
      judge(row, { accept: true, ...(correction && { correction }) }, options),
  });
  const refusing = {
    ...accepting("R", t.verdicts.refuse),
    look: "danger",
    reason: "needed",
    send: (note = "", options: CallOptions) => judge(row, { accept: false, note }, options),
  } as const;
  const giveLeave = (hours: number) =>
    controls.decide({
      said: said(t.leaveOf(hours)),
      send: (options) => judge(row, { accept: true, correction: { kind: "leave", hours } }, options),
    });
  return (
    <>
      <div className="q-inbox-line">
        <h2>{row.workName}</h2>
        <span className="q-soft">
          {row.department} · {t.day(row.month, row.day)}
        </span>
      </div>
      <p className="q-value q-inbox-text">
        <strong>{t.kinds[row.kind]}</strong> {row.text}
      </p>
      {asksHours ? (
        <LeaveHours
          onGiven={giveLeave}
          onGivenUp={() => {
            setAsksHours(false);
            controls.focus();
          }}
        />
      ) : (
        <div className="q-queue-verdicts">
          <Verdicts
            verdicts={[
              accepting("1", t.verdicts.present, { kind: "present" }),
              accepting("2", t.verdicts.onTime, { kind: "onTime" }),
              accepting("3", t.verdicts.leave, { kind: "leave" }),
              accepting("4", t.verdicts.accept),
              accepting("5", t.presentAt(1), { kind: "present", campus: 1 }),
              accepting("6", t.presentAt(2), { kind: "present", campus: 2 }),
              refusing,
            ]}
            reasons={Object.values(t.reasons)}
            maxReason={500}
            controls={controls}
          />
          <IfMay operation={attendance.judgeObjection}>
            <KeyButton letter="H" onClick={() => setAsksHours(true)}>
              {t.leaveHours}
            </KeyButton>
          </IfMay>
        </div>
      )}
      <DayBasis row={row} />
    </>
  );
}

const judge = (row: Objection, body: Verdict, options: CallOptions) =>
  callWith(attendance.judgeObjection, { params: { id: row.id }, body }, options);

interface LeaveHoursProps {
  readonly onGiven: (hours: number) => void;
  readonly onGivenUp: () => void;
}

function LeaveHours({ onGiven, onGivenUp }: LeaveHoursProps) {
  const t = useTexts();
  const [hours, setHours] = useState<number | null>(null);
  return (
    <InputNumber
      autoFocus
      aria-label={t.hours}
      placeholder={t.hours}
      min={0.25}
      max={24}
      step={0.25}
      value={hours}
      onChange={setHours}
      // The field reports no number out of range, so `hours` may be older than what is typed.
      onPressEnter={({ target }) =>
        hours !== null && Number((target as HTMLInputElement).value) === hours && onGiven(hours)
      }
      onKeyDown={({ key }) => key === "Escape" && onGivenUp()}
    />
  );
}

function DayBasis({ row }: { readonly row: Objection }) {
  const t = useTexts();
  const [fetchFile] = useDownload();
  const names = useFigureNames([]);
  const unique = new Map(
    row.explain
      .flatMap(({ entries }) => entries.flatMap(({ evidence }) => evidence))
      .map((each) => [`${each.sheet} ${each.import} ${each.row}`, each]),
  );
  const items = [
    { key: "cell", label: t.cell, children: row.cell },
    { key: "counts", label: t.counts, children: joinWords(row.explain.map(({ field }) => nameFigure(names, field))) },
    { key: "said", label: t.said, children: joinWords(row.punches.map(({ slot, time }) => `${slot} ${time}`)) },
  ];
  return (
    <>
      <Descriptions size="small" column={1} items={items.filter(({ children }) => children !== "")} />
      {row.files.map((name, n) => (
        <Button key={name} type="link" onClick={() => fetchFile(attendance.readObjectionFile, { params: { name } })}>
          {t.file(n + 1)}
        </Button>
      ))}
      {unique.size > 0 ? <EvidenceList evidence={[...unique.values()]} /> : <p className="q-soft">{t.nothing}</p>}
    </>
  );
}
