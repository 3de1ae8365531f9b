import { useSyncExternalStore } from "react";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { attendance } from "#shared/api/attendance.ts";
import { call, callWith } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { DataOf, Operation } from "#shared/call/operation.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

// Imports are kept outside the component tree, so that their progress survives closing the dialog or changing pages.

export type ImportAnswer = DataOf<typeof attendance.importMonth>;

export interface Task {
  readonly id: number;
  readonly file: File;
  /** The server keeps the recognised file under this id for a while. */
  readonly upload: string;
  readonly sheet: ImportSheet;
  /** yyyy-MM; undefined if the file itself names it. */
  readonly month: string | undefined;
  readonly whole: boolean;
  readonly takes: DataOf<typeof attendance.recognise>["imports"][number]["takes"];
  readonly stage: "queued" | "sending" | "working" | "done" | "failed";
  readonly percent: number;
  readonly answer?: ImportAnswer;
  readonly failure?: CallFailure;
}

export type Order = Pick<Task, "file" | "upload" | "sheet" | "month" | "whole" | "takes">;

type Import = Omit<NonNullable<typeof attendance.importMonth.contract>, "url" | "summary"> &
  Pick<Endpoint, "url" | "summary">;
const operations: Readonly<Record<ImportSheet, Operation<Import>>> = {
  month: attendance.importMonth,
  original: attendance.importOriginal,
  work: attendance.importWork,
};
// An identity card list without a month is imported into the latest month, so it must follow the month sheets.
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

export const clearTasks = (): void => keep(tasks.filter(isActive));

interface Plan {
  readonly orders: readonly Order[];
  readonly analyse: boolean;
  readonly onChange: () => void;
}

export async function runImports({ orders, analyse, onChange }: Plan): Promise<void> {
  const added = orders
    .toSorted(
      (left, right) =>
        turn.indexOf(left.sheet) - turn.indexOf(right.sheet) ||
        (left.takes[0]?.from ?? "").localeCompare(right.takes[0]?.from ?? ""),
    )
    .map((order): Task => ({ ...order, id: ++lastId, stage: "queued", percent: 0 }));
  keep([...tasks.filter(isActive), ...added]);
  window.addEventListener("beforeunload", warnOfLoss);
  const months = new Set<string>();
  for (const task of added) {
    const answer = await runTask(task);
    for (const month of answer?.months ?? []) months.add(month);
    onChange();
  }
  if (!tasks.some(isActive)) window.removeEventListener("beforeunload", warnOfLoss);
  // Failures are ignored: a month without its summary cannot be analysed, and its page says so.
  if (analyse)
    for (const month of months)
      await callWith(attendance.analyse, { query: { month } }).catch((error: unknown) => {
        if (!(error instanceof CallFailure)) throw error;
      });
  onChange();
}

async function runTask(task: Task): Promise<ImportAnswer | undefined> {
  const { id } = task;
  try {
    const answer = await send(task);
    change(id, { stage: "done", answer });
    return answer;
  } catch (error) {
    const failure = error instanceof CallFailure ? error : toFailure(error);
    change(id, { stage: "failed", failure });
    return undefined;
  }
}

/** Uploads the file again if the server's copy has expired or is with another process. */
async function send({ id, file, upload, sheet, month, whole }: Task): Promise<ImportAnswer> {
  const fields = { ...(month !== undefined && { month }), ...(whole && { whole }) };
  change(id, { stage: "working", percent: 100 });
  try {
    return await call(attendance.importUpload, { body: { upload, sheet, ...fields } });
  } catch (error) {
    if (!(error instanceof CallFailure) || error.code !== notHeld) throw error;
  }
  const onProgress = (percent: number) =>
    change(id, percent < 100 ? { stage: "sending", percent } : { stage: "working", percent });
  onProgress(0);
  return callWith(operations[sheet], { file, fields }, { onProgress });
}

const notHeld = "10005";

const toFailure = (error: unknown): CallFailure =>
  new CallFailure({ code: "network", message: error instanceof Error ? error.message : String(error), status: 0 });

// Leaving the page would lose the files that are not yet uploaded.
const warnOfLoss = (event: BeforeUnloadEvent): void => {
  if (tasks.some(({ stage }) => stage === "queued" || stage === "sending")) event.preventDefault();
};
