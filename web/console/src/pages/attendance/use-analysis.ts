import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useEffect, useRef } from "react";
import { attendance } from "#console/api/attendance.ts";
import type { DataOf } from "#console/call/operation.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/attendance/texts.ts";

export type Status = DataOf<typeof attendance.findStatus>;

const busyMs = 700;

/** The analysis of a month while it runs; when it ends, the months are read anew and it is said. */
export function useRunningAnalysis(month: string, statu: Status["statu"]): Status | undefined {
  const t = useTexts(texts);
  const { message } = App.useApp();
  const queries = useQueryClient();
  const isRunning = statu === 1;
  const { data } = useRead(
    attendance.findStatus,
    { query: { month } },
    { enabled: isRunning, ...(isRunning && { everyMs: busyMs }) },
  );
  useEffect(() => {
    // Also where it had ended before it was first asked about, or that answer is the one of the last analysis.
    if (isRunning && data && data.statu !== 1) void queries.invalidateQueries({ queryKey: ["attendance"] });
  }, [data, isRunning, queries]);
  const was = useRef(statu);
  useEffect(() => {
    if (was.current === 1 && statu === 2) void message.success(t.analysed(month));
    was.current = statu;
  }, [statu, month, message, t]);
  return data;
}

/** Starts the analysis of a month. */
export function useAnalyse() {
  const t = useTexts(texts);
  return useChange(attendance.analyse, { done: ({ month }) => t.analyseStarted(month) });
}
