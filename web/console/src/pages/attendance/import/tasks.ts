import { useSyncExternalStore } from "react";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { attendance } from "#console/api/attendance.ts";
import { callWith, type CallOptions } from "#console/call/call.ts";
import { CallFailure } from "#console/call/failure.ts";
import type { DataOf, Given } from "#console/call/operation.ts";
import type { DayRange } from "#console/pages/attendance/coverage/days.ts";

// Imports that this tab has begun. They are kept outside of the pages: the person may close the window of the import,
// go to another page and come back, and still sees how far they are.

export type ImportAnswer = DataOf<typeof attendance.importMonth>;

export interface Task {
  readonly id: number;
  readonly file: File;
  readonly sheet: ImportSheet;
  /** yyyy-MM; undefined: as the file says. */
  readonly month: string | undefined;
  /** The days that the file's title says; undefined where it was not understood. */
  readonly days: DayRange | undefined;
  readonly stage: "queued" | "sending" | "working" | "done" | "failed";
  readonly percent: number;
  readonly answer?: ImportAnswer;
  readonly failure?: CallFailure;
}

export type Order = Pick<Task, "file" | "sheet" | "month" | "days">;

type Send = (
  given: Given<NonNullable<typeof attendance.importMonth.contract>>,
  options: CallOptions,
) => Promise<ImportAnswer>;
const send: Readonly<Record<ImportSheet, Send>> = {
  month: (given, options) => callWith(attendance.importMonth, given, options),
  original: (given, options) => callWith(attendance.importOriginal, given, options),
  work: (given, options) => callWith(attendance.importWork, given, options),
};
// Identity cards without a month join the month sheet imported last, so they come after it.
const turn: readonly ImportSheet[] = ["month", "original", "work"];

let tasks: readonly Task[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function keep(next: readonly Task[]): void {
  tasks = next;
  listeners.forEach((listener) => listener());
}

const change = (id: number, part: Partial<Task>): void =>
  keep(tasks.map((task) => (task.id === id ? { ...task, ...part } : task)));

export const useTasks = (): readonly Task[] =>
  useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
    () => tasks,
  );

export const isActive = ({ stage }: Task): boolean => stage !== "done" && stage !== "failed";

/** Forgets what has ended. */
export const clearTasks = (): void => keep(tasks.filter(isActive));

interface Plan {
  readonly orders: readonly Order[];
  /** Starts the analysis of the months that were imported. */
  readonly analyse: boolean;
  /** Told after each step: what was read of the service is old. */
  readonly onChange: () => void;
}

/** Imports one file after the other, then has the months analysed. */
export async function runImports({ orders, analyse, onChange }: Plan): Promise<void> {
  const added = orders
    .toSorted(
      (left, right) =>
        turn.indexOf(left.sheet) - turn.indexOf(right.sheet) ||
        (left.days?.from ?? "").localeCompare(right.days?.from ?? ""),
    )
    .map((order): Task => ({ ...order, id: ++lastId, stage: "queued", percent: 0 }));
  keep([...tasks.filter(isActive), ...added]);
  window.addEventListener("beforeunload", warnOfLoss);
  const months = new Set<string>();
  for (const task of added) {
    const answer = await runTask(task);
    if (answer) months.add(answer.month);
    onChange();
  }
  if (!tasks.some(isActive)) window.removeEventListener("beforeunload", warnOfLoss);
  // A month whose summary is still to come cannot be analysed, which its page says.
  if (analyse)
    for (const month of months)
      await callWith(attendance.analyse, { query: { month } }).catch((error: unknown) => {
        if (!(error instanceof CallFailure)) throw error;
      });
  onChange();
}

async function runTask({ id, file, sheet, month }: Task): Promise<ImportAnswer | undefined> {
  change(id, { stage: "sending" });
  const onProgress = (sent: number, total: number) =>
    change(id, sent < total ? { percent: Math.floor((sent / total) * 100) } : { stage: "working", percent: 100 });
  try {
    const fields = month === undefined ? {} : { month };
    const answer = await send[sheet]({ file, fields }, { onProgress });
    change(id, { stage: "done", answer });
    return answer;
  } catch (error) {
    // Whatever it was, the others are still imported.
    const failure = error instanceof CallFailure ? error : toFailure(error);
    change(id, { stage: "failed", failure });
    return undefined;
  }
}

const toFailure = (error: unknown): CallFailure =>
  new CallFailure({ code: "network", message: error instanceof Error ? error.message : String(error), status: 0 });

// What has not left yet is lost with the page.
const warnOfLoss = (event: BeforeUnloadEvent): void => {
  if (tasks.some(({ stage }) => stage === "queued" || stage === "sending")) event.preventDefault();
};
