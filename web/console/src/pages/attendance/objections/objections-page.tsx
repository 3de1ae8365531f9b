import { Button, Descriptions, Empty, Input, Skeleton, Space } from "antd";
import { useEffect, useRef, useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { nameFigure, useFigureNames } from "#shared/attendance/figure-names.ts";
import type { Given, RecordOf } from "#shared/call/operation.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { IfMay } from "#console/blocks/buttons.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { pressButton } from "#console/blocks/press-button.ts";
import { download } from "#console/call/call.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/attendance/objections/texts.ts";
import { EvidenceList } from "#console/pages/attendance/person/day-detail.tsx";
import "#console/pages/attendance/attendance.css";
import "#console/blocks/inbox.css";

type Objection = RecordOf<typeof attendance.listObjections>;
type Verdict = Given<(typeof endpoints)["judgeObjection"]>["body"];

const keys = { present: "1", onTime: "2", leave: "3", accept: "4", refuse: "R" } as const;
const letters = new Set([...Object.values(keys), "J", "K"]);
const mostShown = 100;

/** The open objections, judged one after the other by keyboard. */
export function ObjectionsPage() {
  const t = useTexts();
  const query = { state: "open", curPage: 1, pageSize: mostShown } as const;
  const { data, error, refetch } = useRead(attendance.listObjections, { query }, { keep: true });
  return (
    <>
      <PageHead title={t.objections} about={t.objectionsAbout} />
      {error && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active />}
      {data && data.list.length === 0 && (
        <section className="q-card q-inbox-none">
          <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.none}>
            <p className="q-soft">{t.noneAbout}</p>
          </Empty>
        </section>
      )}
      {data && data.list.length > 0 && <Queue rows={data.list.toReversed()} total={data.totalCount} />}
      <Confirmations />
    </>
  );
}

/** Who has confirmed the newest month that is analysed. */
function Confirmations() {
  const t = useTexts();
  const { data: months } = useRead(attendance.listMonths, {});
  const month = months?.find(({ statu }) => statu === 2)?.month;
  const given = { query: { month: month ?? "" } };
  const { data } = useRead(attendance.listConfirmations, given, { enabled: month !== undefined });
  if (!data) return null;
  const counts = [data.confirmed, data.of, data.objecting].map(formatCount) as [string, string, string];
  return (
    <section className="q-card" aria-label={t.people}>
      <p>
        <strong>
          {t.people} {month}
        </strong>{" "}
        {t.confirmations(...counts)}
      </p>
      <Records
        density="small"
        rowKey={({ userId, workNum, groupOfCheck }) => `${userId} ${workNum} ${groupOfCheck}`}
        rows={data.people}
        empty={null}
        pageSize={10}
        columns={[
          { title: t.name, field: "workName", width: 120 },
          { title: t.department, field: "department", width: 180 },
          { title: t.state, field: "state", width: 100, render: ({ state }) => t.states[state] },
          { title: t.time, field: "confirmTime", width: 160 },
        ]}
      />
    </section>
  );
}

function Queue({ rows, total }: { readonly rows: readonly Objection[]; readonly total: number }) {
  const t = useTexts();
  const [chosen, choose] = useState<number>();
  const desk = useRef<HTMLElement>(null);
  const place = Math.max(
    0,
    rows.findIndex(({ id }) => id === chosen),
  );
  const row = rows[place];
  const shown = row?.id;
  // The one that was judged leaves the list, and takes the focus along.
  useEffect(() => {
    if (document.activeElement === document.body) desk.current?.focus({ preventScroll: true });
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [shown]);
  const goTo = (to: Objection | undefined) => {
    if (to) choose(to.id);
    desk.current?.focus({ preventScroll: true });
  };
  const [previous, next] = [rows[place - 1], rows[place + 1]];
  return (
    // Its keys are those of buttons in it, heard while the focus is anywhere inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={desk}
      tabIndex={-1}
      className="q-inbox"
      aria-label={t.objections}
      aria-keyshortcuts="J K"
      onKeyDown={(event) => pressButton(event, letters)}
    >
      <nav className="q-card q-inbox-list" aria-label={t.left(formatCount(total))}>
        <p className="q-soft">{t.left(formatCount(total))}</p>
        <ul>
          {rows.map((one) => (
            <li key={one.id}>
              <button type="button" aria-current={one === row} onClick={() => goTo(one)}>
                <span className="q-inbox-line">
                  <strong>{one.workName}</strong>
                  <span className="q-soft q-figures">{t.day(one.month, one.day)}</span>
                </span>
                <span className="q-cut">{one.text}</span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      {row && (
        <Case key={row.id} row={row} onDone={() => goTo(next ?? previous)} onFocus={() => goTo(undefined)}>
          <KeyButton letter="K" disabled={!previous} onClick={() => goTo(previous)}>
            {t.previous}
          </KeyButton>
          <KeyButton letter="J" disabled={!next} onClick={() => goTo(next)}>
            {t.next}
          </KeyButton>
        </Case>
      )}
    </section>
  );
}

interface CaseProps {
  readonly row: Objection;
  readonly onDone: () => void;
  /** Gives the keys back to the queue. */
  readonly onFocus: () => void;
  readonly children: React.ReactNode;
}

function Case({ row, onDone, onFocus, children }: CaseProps) {
  const t = useTexts();
  const [isRefusing, setRefusing] = useState(false);
  const [note, setNote] = useState("");
  const change = useChange(attendance.judgeObjection);
  const judge = (body: Verdict) => change.mutate({ params: { id: row.id }, body }, { onSuccess: onDone });
  const accept = (kind: "present" | "onTime" | "leave") => judge({ accept: true, correction: { kind } });
  return (
    <section className="q-card q-inbox-pane" aria-label={row.workName}>
      <div className="q-inbox-line">
        <h2>{row.workName}</h2>
        <span className="q-soft">
          {row.department} · {t.day(row.month, row.day)}
        </span>
      </div>
      <p className="q-value q-inbox-text">
        <strong>{t.kinds[row.kind]}</strong> {row.text}
      </p>
      <DayBasis row={row} />
      <IfMay operation={attendance.judgeObjection}>
        {isRefusing ? (
          <Input
            autoFocus
            aria-label={t.note}
            placeholder={t.note}
            maxLength={500}
            value={note}
            onChange={({ target }) => setNote(target.value)}
            onPressEnter={() => note.trim() !== "" && judge({ accept: false, note })}
            onKeyDown={({ key }) => {
              if (key !== "Escape") return;
              setRefusing(false);
              onFocus();
            }}
          />
        ) : (
          <Space wrap>
            {(["present", "onTime", "leave"] as const).map((kind) => (
              <KeyButton key={kind} letter={keys[kind]} disabled={change.isPending} onClick={() => accept(kind)}>
                {t.verdicts[kind]}
              </KeyButton>
            ))}
            <KeyButton letter={keys.accept} disabled={change.isPending} onClick={() => judge({ accept: true })}>
              {t.verdicts.accept}
            </KeyButton>
            <KeyButton letter={keys.refuse} disabled={change.isPending} onClick={() => setRefusing(true)}>
              {t.verdicts.refuse}
            </KeyButton>
          </Space>
        )}
      </IfMay>
      <Space wrap className="q-inbox-foot">
        {children}
      </Space>
    </section>
  );
}

/** What the day rests on: the sheets' words, what it counts for, and what the employee adds. */
function DayBasis({ row }: { readonly row: Objection }) {
  const t = useTexts();
  const names = useFigureNames([]);
  const unique = new Map(
    row.explain
      .flatMap(({ entries }) => entries.flatMap(({ evidence }) => evidence))
      .map((each) => [`${each.sheet} ${each.import} ${each.row}`, each]),
  );
  const items = [
    { key: "cell", label: t.cell, children: row.cell },
    { key: "counts", label: t.counts, children: row.explain.map(({ field }) => nameFigure(names, field)).join("、") },
    { key: "said", label: t.said, children: row.punches.map(({ slot, time }) => `${slot} ${time}`).join("、") },
  ];
  return (
    <>
      <Descriptions size="small" column={1} items={items.filter(({ children }) => children !== "")} />
      {row.files.map((name, n) => (
        <Button
          key={name}
          type="link"
          onClick={() => void download(attendance.readObjectionFile, { params: { name } })}
        >
          {t.file(n + 1)}
        </Button>
      ))}
      {unique.size > 0 ? <EvidenceList evidence={[...unique.values()]} /> : <p className="q-soft">{t.nothing}</p>}
    </>
  );
}

interface KeyButtonProps {
  readonly letter: string;
  readonly disabled: boolean;
  readonly onClick: () => void;
  readonly children: string;
}

const KeyButton = ({ letter, disabled, onClick, children }: KeyButtonProps) => (
  <Button aria-keyshortcuts={letter} disabled={disabled} onClick={onClick}>
    {children}
    <kbd aria-hidden data-key={letter} />
  </Button>
);
