import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { attendance } from "#shared/api/attendance.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import type { ImportRecord } from "#console/pages/attendance/import/task-list.tsx";
import { isActive, useTasks } from "#console/pages/attendance/import/tasks.ts";

const busyMs = 700;
const idleMs = 10_000;

/** The imports that the server is at, whoever began them; asked for often while there are any. */
export function useRunningImports(): readonly ImportRecord[] {
  const hasOwn = useTasks().some(isActive);
  const queries = useQueryClient();
  const { data } = useRead(
    attendance.listImports,
    { query: { pageSize: 20 } },
    { everyMs: (last) => (hasOwn || pickRunning(last).length > 0 ? busyMs : idleMs) },
  );
  const running = pickRunning(data);
  const count = useRef(0);
  useEffect(() => {
    // One has ended that somebody else began, and the months are not what they were.
    if (running.length < count.current) void queries.invalidateQueries({ queryKey: ["attendance", "listMonths"] });
    count.current = running.length;
  }, [running.length, queries]);
  return running;
}

const pickRunning = (page: DataOf<typeof attendance.listImports> | undefined): ImportRecord[] =>
  (page?.list ?? []).filter(({ outcome }) => outcome === null);
