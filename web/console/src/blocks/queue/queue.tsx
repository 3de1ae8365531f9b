import { notifyManager } from "@tanstack/react-query";
import { Button, Pagination, Skeleton } from "antd";
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

export interface QueueControls {
  /** Hides the record from the queue and shows the next one. A held decision is sent after ten seconds unless it is undone. */
  readonly decide: (decision: Decision) => void;
  readonly goOn: () => void;
  readonly focus: () => void;
  readonly steps: ReactNode;
}

interface QueueProps<R> {
  readonly label: string;
  readonly service: Session["service"];
  readonly page: QueuePage<R>;
  /** Reads the list again, since the shown list may come from the cache. */
  readonly reread: () => Promise<unknown>;
  readonly idOf: (row: R) => string | number;
  readonly entry: (row: R) => ReactNode;
  readonly empty: ReactNode;
  readonly tellCount?: (count: string) => string;
  readonly onPage: (page: number) => void;
  readonly children: (row: R, controls: QueueControls) => ReactNode;
}

/** The user decides on one record after another, also by keyboard. The address names the current record. */
export function Queue<R>(props: QueueProps<R>) {
  const { label, service, page, reread, idOf, entry, empty, onPage, children } = props;
  const t = useTexts();
  const { tellCount = t.left } = props;
  const [opened, open] = useOpened();
  const decisions = useDecisions(service);
  const rows = page.list.filter((row) => !decisions.ids.has(String(idOf(row))));
  const hidden = page.list.length - rows.length;
  const place = usePlace(rows.map(idOf).map(String), opened);
  const isAwaited = useAwaited(
    reread,
    opened,
    (known) => rows.some((one) => String(idOf(one)) === known) || decisions.ids.has(known),
  );
  const row = isAwaited ? undefined : rows[place];
  const id = row && String(idOf(row));
  const root = useRef<HTMLElement>(null);
  const focus = () => root.current?.focus({ preventScroll: true });
  // A decided record is unmounted with its focused field, so the focus falls to the body.
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
      {/* The key changes with the record, which resets the forms. */}
      {isAwaited ? (
        <Skeleton active className="q-card q-inbox-pane" />
      ) : row === undefined ? (
        empty
      ) : (
        <QueuePane key={id}>{children(row, controls(row))}</QueuePane>
      )}
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
          <span>{decisions.last.said}</span>
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

/**
 * Returns true until it is certain whether the list contains the record in the address. A list without the record is
 * read again first.
 */
function useAwaited(
  reread: () => Promise<unknown>,
  opened: string | undefined,
  isKnown: (id: string) => boolean,
): boolean {
  const [sought, setSought] = useState<string>();
  const isAwaited = opened !== undefined && opened !== sought && !isKnown(opened);
  useEffect(() => {
    const seek = async () => {
      await reread();
      // The same scheduler has already queued the list's update, so the list is current when `sought` changes.
      notifyManager.schedule(() => setSought(opened));
    };
    if (isAwaited) void seek();
  }, [isAwaited, opened, reread]);
  return isAwaited;
}

/** Returns the index of the record in the address or, once that record has left the list, of its successor. */
function usePlace(ids: readonly string[], opened: string | undefined): number {
  const at = opened === undefined ? 0 : ids.indexOf(opened);
  const [last, setLast] = useState(0);
  if (at >= 0 && at !== last) setLast(at);
  return at >= 0 ? at : Math.max(0, Math.min(last, ids.length - 1));
}

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
