import { useQuery } from "@tanstack/react-query";
import { attendance } from "#shared/api/attendance.ts";
import { compareNames } from "#console/blocks/names.ts";
import { callWith } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";

const mostAtOnce = 1000;

/** The departments of a month with how many people each has, without the months' whole rows. */
export const useDepartments = (month: string) =>
  useQuery<{ department: string; count: number }[], CallFailure>({
    queryKey: ["attendance", "listEmployees", "departments", month],
    queryFn: async ({ signal }) => {
      const counts = new Map<string, number>();
      for (let curPage = 1; ; curPage++) {
        const query = { month, curPage, pageSize: mostAtOnce };
        const { list } = await callWith(attendance.listEmployees, { query }, { signal });
        for (const { department } of list) counts.set(department, (counts.get(department) ?? 0) + 1);
        if (list.length < mostAtOnce) break;
      }
      return [...counts]
        .filter(([department]) => department !== "")
        .map(([department, count]) => ({ department, count }))
        .toSorted((left, right) => compareNames(left.department, right.department));
    },
  });
