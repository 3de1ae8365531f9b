import { type RefObject, useEffect, useRef, useState } from "react";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { attendance } from "#shared/api/attendance.ts";
import { callWith } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { DataOf } from "#shared/call/operation.ts";
import type { Order } from "#console/pages/attendance/import/tasks.ts";

/** What the server says of a file: which imports take it, and of which days. */
type Recognition = DataOf<typeof attendance.recognise>;

/** A file that is about to be imported, what the server says of it, and what the person chooses. */
export interface ChosenFile {
  readonly key: number;
  readonly file: File;
  readonly look:
    | { readonly at: "waiting" }
    /** At 100 it has left, and is being read. */
    | { readonly at: "sending"; readonly percent: number }
    | { readonly at: "known"; readonly found: Recognition }
    | { readonly at: "failed"; readonly failure: CallFailure };
  readonly sheets: readonly ImportSheet[];
  /** yyyy-MM, where the file does not say it. */
  readonly month: string | undefined;
}

export interface ChosenFiles {
  readonly files: readonly ChosenFile[];
  readonly add: (file: File) => void;
  readonly change: (key: number, part: Partial<ChosenFile>) => void;
  readonly remove: (key: number) => void;
}

const toWaiting = (key: number, file: File): ChosenFile => ({
  key,
  file,
  look: { at: "waiting" },
  sheets: [],
  month: undefined,
});

interface Sending {
  readonly key: number;
  readonly controller: AbortController;
}

function stop(sending: RefObject<Sending | undefined>): void {
  sending.current?.controller.abort();
  sending.current = undefined;
}

/** The files of the dialog. The server is asked about one after the other: together they would only slow each other down. */
export function useChosenFiles(dropped: readonly File[], month: string | undefined): ChosenFiles {
  const lastKey = useRef(dropped.length);
  const sending = useRef<Sending>(undefined);
  const [files, setFiles] = useState(() => dropped.map((file, index) => toWaiting(index + 1, file)));
  const change = (key: number, part: Partial<ChosenFile>) =>
    setFiles((last) => last.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const look = async ({ key, file }: ChosenFile) => {
    const controller = new AbortController();
    sending.current = { key, controller };
    const onProgress = (percent: number) => change(key, { look: { at: "sending", percent } });
    try {
      const found = await callWith(attendance.recognise, { file }, { onProgress, signal: controller.signal });
      change(key, { look: { at: "known", found }, ...choose(found, file, month) });
    } catch (error) {
      if (controller.signal.aborted) return;
      if (!(error instanceof CallFailure)) throw error;
      change(key, { look: { at: "failed", failure: error } });
    } finally {
      if (sending.current?.key === key) sending.current = undefined;
    }
  };
  useEffect(() => {
    const next = files.find((each) => each.look.at === "waiting");
    if (next && !sending.current) void look(next);
  });
  useEffect(() => () => stop(sending), []);
  return {
    files,
    change,
    add: (file) => {
      const key = ++lastKey.current;
      setFiles((last) => [...last, toWaiting(key, file)]);
    },
    remove: (key) => {
      if (sending.current?.key === key) stop(sending);
      setFiles((last) => last.filter((each) => each.key !== key));
    },
  };
}

/** What is imported unless the person says otherwise. Of the months of a title none is guessed. */
function choose({ imports }: Recognition, { name }: File, month: string | undefined) {
  const isSaid = imports.some(({ months }) => months.length > 0);
  return { sheets: imports.map(({ sheet }) => sheet), month: isSaid ? undefined : (guessMonth(name) ?? month) };
}

/** What the server found in a file, of that which is to be imported. */
export const listImports = ({ look, sheets }: ChosenFile): Recognition["imports"] =>
  look.at === "known" ? look.found.imports.filter(({ sheet }) => sheets.includes(sheet)) : [];

/** The months that the titles of a file lie in. */
export const listMonths = (chosen: ChosenFile): string[] => [
  ...new Set(listImports(chosen).flatMap(({ months }) => months)),
];

const inFileName = /(?:^|\D)(20\d{2})-?(0[1-9]|1[0-2])(?:-?(?:[0-2]\d|3[01]))?(?:\D|$)/;

function guessMonth(fileName: string): string | undefined {
  const [, year, month] = inFileName.exec(fileName) ?? [];
  return year === undefined || month === undefined ? undefined : `${year}-${month}`;
}

/** The month of a file: what its titles say, or of several the one that is chosen. */
export function findMonth(chosen: ChosenFile): string | undefined {
  const months = listMonths(chosen);
  if (months.length === 0) return chosen.month;
  if (months.length === 1) return months[0];
  return months.find((month) => month === chosen.month);
}

/** Whether nothing is left to be said of a file. */
export const isSettled = (chosen: ChosenFile): boolean =>
  chosen.sheets.length > 0 && (listMonths(chosen).length === 0 || findMonth(chosen) !== undefined);

/** Identity cards say no month: they are meant for that of the sheets beside them. */
export function findMonthBeside(files: readonly ChosenFile[]): string | undefined {
  const beside = files.find((chosen) => chosen.sheets.some((sheet) => sheet !== "work") && findMonth(chosen));
  return beside && findMonth(beside);
}

export const toOrders = (files: readonly ChosenFile[]): Order[] =>
  files.flatMap((chosen) =>
    listImports(chosen).map(({ sheet, months, days }): Order => {
      const own = months.length === 1 ? months[0] : findMonth(chosen);
      return {
        file: chosen.file,
        upload: chosen.look.at === "known" ? chosen.look.found.upload : "",
        sheet,
        month: own ?? (sheet === "work" ? findMonthBeside(files) : undefined),
        days: sheet === "work" ? undefined : (days ?? undefined),
      };
    }),
  );
