import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useEffect, useRef, useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import type { DataOf, Given, Operation } from "#shared/call/operation.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { download } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

type Status = DataOf<typeof attendance.findStatus>;

const busyMs = 700;
const asked = attendance.findStatus.name;

export function useRunningAnalysis(month: string, statu: Status["statu"]): Status | undefined {
  const t = useTexts();
  const { message } = App.useApp();
  const queries = useQueryClient();
  const isRunning = statu === 1;
  const { data, dataUpdatedAt } = useRead(
    attendance.findStatus,
    { query: { month } },
    { enabled: isRunning, ...(isRunning && { everyMs: busyMs }) },
  );
  // The time of the latest poll that reported the end of the analysis, or 0 if the cached month is up to date. Each
  // poll that reports the end causes another read of the month, since an earlier read may have been aborted.
  const endToldAt = isRunning && data && data.statu !== 1 ? dataUpdatedAt : 0;
  useEffect(() => {
    // Invalidating the poll itself would cause an endless loop.
    if (endToldAt > 0)
      void queries.invalidateQueries({ queryKey: ["attendance"], predicate: ({ queryKey }) => queryKey[1] !== asked });
  }, [endToldAt, queries]);
  const was = useRef(statu);
  useEffect(() => {
    if (was.current === 1 && statu === 2) void message.success(t.analysed(month));
    was.current = statu;
  }, [statu, month, message, t]);
  return data;
}

export function useAnalyse() {
  const t = useTexts();
  return useChange(attendance.analyse, { done: ({ month }) => t.analyseStarted(month) });
}

interface Filter {
  readonly department?: string | undefined;
  readonly groupOfCheck?: string | undefined;
  readonly name?: string | undefined;
  readonly idCards?: "masked" | "whole";
}

type FetchFile = <E extends Endpoint>(operation: Operation<E>, given: Partial<Given<E>>) => void;

export function useDownload(): readonly [FetchFile, boolean] {
  const t = useTexts();
  const { message } = App.useApp();
  const [isBusy, setBusy] = useState(false);
  const fetchFile = async <E extends Endpoint>(operation: Operation<E>, given: Partial<Given<E>>) => {
    setBusy(true);
    try {
      await download(operation, given);
      void message.success(t.downloaded);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      void message.error(error.message);
    } finally {
      setBusy(false);
    }
  };
  return [(operation, given) => void fetchFile(operation, given), isBusy];
}

export function useWorkbook(): readonly [(month: string, filter?: Filter) => void, boolean] {
  const [fetchFile, isBusy] = useDownload();
  const fetchWorkbook = (month: string, { idCards = "masked", ...filter }: Filter = {}) =>
    fetchFile(attendance.download, { query: { month, format: "xlsx", idCards, ...definedOf(filter) } });
  return [fetchWorkbook, isBusy];
}

const definedOf = (filter: Omit<Filter, "idCards">): { [K in keyof typeof filter]: string } =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== ""));
