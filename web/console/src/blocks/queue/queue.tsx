import { Button, Pagination } from "antd";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { formatCount } from "#console/blocks/format.ts";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { pressButton } from "#console/blocks/press-button.ts";
import { KeyButton } from "#console/blocks/queue/key-button.tsx";
import { useTexts } from "#console/blocks/queue/texts.ts";
import { type Decision, type Decisions, useDecisions } from "#console/blocks/queue/use-decisions.ts";
import { sendHeld } from "#console/call/held.ts";
import type { Session } from "#console/session/session.ts";
import "#console/blocks/inbox.css";

export interface QueuePage<R> {
  readonly list: readonly R[];
  readonly totalCount: number;
  readonly currPage: number;
  readonly pageSize: number;
}

/** What the shown record may do with the queue around it. */
export interface QueueControls {
  /** Takes the record out of the queue and goes to the next; it is sent after ten seconds, unless it is undone. */
  readonly decide: (decision: Decision) => void;
  /** Goes to the next after something was done at once, without a way to undo it. */
  readonly goOn: () => void;
  /** Gives the keyboard back to the queue, as after a form is given up. */
  readonly focus: () => void;
  /** Previous and next, as buttons with their keys. */
  readonly steps: ReactNode;
}

interface QueueProps<R> {
  readonly label: string;
  /** Of which everything is read anew once a decision has been sent. */
  readonly service: Session["service"];
  readonly page: QueuePage<R>;
  readonly idOf: (row: R) => string | number;
  /** The record's lines in the list. */
  readonly entry: (row: R) => ReactNode;
  readonly empty: ReactNode;
  /** How many there are, where they are not all waiting. */
  readonly tellCount?: (count: string) => string;
  readonly onPage: (page: number) => void;
  /** The record with all that is known of it, and what can be decided; such as `Verdicts`. */
  readonly children: (row: R, controls: QueueControls) => ReactNode;
}

/** Records that wait for a decision, worked through by keyboard; which one is shown stands in the address. */
export function Queue<R>(props: QueueProps<R>) {
  const { label, service, page, idOf, entry, empty, onPage, children } = props;
  const t = useTexts();
  const { tellCount = t.left } = props;
  const [opened, open] = useOpened();
  const decisions = useDecisions(service);
  const rows = page.list.filter((row) => !decisions.ids.has(String(idOf(row))));
  const hidden = page.list.length - rows.length;
  const place = usePlace(rows.map(idOf).map(String), opened);
  const row = rows[place];
  const id = row && String(idOf(row));
  const root = useRef<HTMLElement>(null);
  const focus = () => root.current?.focus({ preventScroll: true });
  // What was decided leaves the list and takes along the field in which somebody typed.
  useEffect(() => {
    if (document.activeElement === document.body) focus();
    root.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
    if (opened !== undefined && id !== undefined && id !== opened) open(id, { replace: true });
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [id]);
  useRefill(page, rows.length, hidden, onPage);
  const goTo = (to: R | undefined) => {
    if (to) open(idOf(to));
    focus();
  };
  const [previous, next] = [rows[place - 1], rows[place + 1]];
  const controls = (shown: R): QueueControls => ({
    decide: (decision) => {
      decisions.decide(String(idOf(shown)), decision);
      goTo(next ?? previous);
    },
    goOn: () => goTo(next ?? previous),
    focus,
    steps: (
      <>
        <KeyButton letter="K" disabled={!previous} onClick={() => goTo(previous)}>
          {t.previous}
        </KeyButton>
        <KeyButton letter="J" disabled={!next} onClick={() => goTo(next)}>
          {t.next}
        </KeyButton>
      </>
    ),
  });
  return (
    // Its keys are those of buttons in it, heard while the focus is anywhere inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={root}
      tabIndex={-1}
      className="q-inbox"
      aria-label={label}
      aria-keyshortcuts="J K Z"
      onKeyDown={(event) => pressButton(event)}
    >
      <nav className="q-card q-inbox-list" aria-label={label}>
        <div className="q-queue-head">
          <span className="q-soft">{tellCount(formatCount(page.totalCount - hidden))}</span>
          <Undo decisions={decisions} onUndone={(undone) => open(undone)} />
        </div>
        <ul>
          {rows.map((one) => (
            <li key={idOf(one)}>
              <button type="button" aria-current={one === row} onClick={() => goTo(one)}>
                {entry(one)}
              </button>
            </li>
          ))}
        </ul>
        <Pagination
          size="small"
          simple
          hideOnSinglePage
          current={page.currPage}
          pageSize={page.pageSize}
          total={page.totalCount}
          onChange={onPage}
        />
      </nav>
      {/* Each record has its own, with whatever was begun in it. */}
      {row === undefined ? empty : <QueuePane key={id}>{children(row, controls(row))}</QueuePane>}
    </section>
  );
}

const QueuePane = ({ children }: { readonly children: ReactNode }) => (
  <div className="q-card q-inbox-pane">{children}</div>
);

function Undo({ decisions, onUndone }: { readonly decisions: Decisions; readonly onUndone: (id: string) => void }) {
  const t = useTexts();
  const undo = () => {
    const id = decisions.undo();
    if (id !== undefined) onUndone(id);
  };
  return (
    <div className="q-queue-undo" role="status">
      {decisions.last ? (
        <>
          <span className="q-cut">{decisions.last.said}</span>
          <Button size="small" aria-keyshortcuts="Z" onClick={undo}>
            {t.undo}
            <kbd aria-hidden data-key="Z" />
          </Button>
        </>
      ) : (
        <span className="q-soft q-queue-keys">{t.keys}</span>
      )}
    </div>
  );
}

/** Where the shown record stands: the one of the address; once that has left, whichever took its place. */
function usePlace(ids: readonly string[], opened: string | undefined): number {
  const at = opened === undefined ? 0 : ids.indexOf(opened);
  const [last, setLast] = useState(0);
  if (at >= 0 && at !== last) setLast(at);
  return at >= 0 ? at : Math.max(0, Math.min(last, ids.length - 1));
}

/** Once all of a page is decided, the others come in their place. */
function useRefill(page: QueuePage<unknown>, left: number, hidden: number, onPage: (page: number) => void): void {
  const { list, totalCount, currPage, pageSize } = page;
  const isDone = left === 0 && totalCount > hidden;
  useEffect(() => {
    if (!isDone) return;
    if (list.length > 0) void sendHeld();
    else onPage(Math.min(currPage, Math.ceil(totalCount / pageSize)));
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [isDone, list.length]);
}
