import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useEffect, useRef } from "react";
import { attendance } from "#shared/api/attendance.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/attendance/texts.ts";

export type Status = DataOf<typeof attendance.findStatus>;

const busyMs = 700;
const asked = attendance.findStatus.name;

/** The analysis of a month while it runs; when it ends, the months are read anew and it is said. */
export function useRunningAnalysis(month: string, statu: Status["statu"]): Status | undefined {
  const t = useTexts(texts);
  const { message } = App.useApp();
  const queries = useQueryClient();
  const isRunning = statu === 1;
  const { data, dataUpdatedAt } = useRead(
    attendance.findStatus,
    { query: { month } },
    { enabled: isRunning, ...(isRunning && { everyMs: busyMs }) },
  );
  // When it was last told that it has ended, though the month says that it runs; else 0. Each such answer has the month read
  // again: the analysis may have ended before it was first asked about, and a reading may be cut off on its way.
  const endToldAt = isRunning && data && data.statu !== 1 ? dataUpdatedAt : 0;
  useEffect(() => {
    // All but that answer itself, which would ask for itself without a pause.
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

/** Starts the analysis of a month. */
export function useAnalyse() {
  const t = useTexts(texts);
  return useChange(attendance.analyse, { done: ({ month }) => t.analyseStarted(month) });
}
