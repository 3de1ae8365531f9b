import { useSyncExternalStore } from "react";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { attendance } from "#shared/api/attendance.ts";
import { call, callWith } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { DataOf, Operation } from "#shared/call/operation.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

// Imports that this tab has begun. They are kept outside of the pages: the person may close the window of the import,
// go to another page and come back, and still sees how far they are.

export type ImportAnswer = DataOf<typeof attendance.importMonth>;

export interface Task {
  readonly id: number;
  readonly file: File;
  /** Under which the server holds it from the look at it, for a while. */
  readonly upload: string;
  readonly sheet: ImportSheet;
  /** yyyy-MM; undefined: as the file says. */
  readonly month: string | undefined;
  /** A sheet without a title is of the whole month. */
  readonly whole: boolean;
  /** The days that it will take, as the look at it has told. */
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

export const clearTasks = (): void => keep(tasks.filter(isActive));

interface Plan {
  readonly orders: readonly Order[];
  readonly analyse: boolean;
  /** Told after each step: what was read of the service is old. */
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
  // A month whose summary is still to come cannot be analysed, which its page says.
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
    // Whatever it was, the others are still imported.
    const failure = error instanceof CallFailure ? error : toFailure(error);
    change(id, { stage: "failed", failure });
    return undefined;
  }
}

/** Has the file imported that the server holds; one that it holds no more, or another process than answers now, is sent. */
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

// What has not left yet is lost with the page.
const warnOfLoss = (event: BeforeUnloadEvent): void => {
  if (tasks.some(({ stage }) => stage === "queued" || stage === "sending")) event.preventDefault();
};
