import { callWith } from "#console/call/call.ts";
import { toPersonKey } from "#console/pages/attendance/grid/people.ts";
import { type Findable, mostFound } from "#console/shell/find.ts";
import { attendance } from "#shared/api/attendance.ts";

/** Searches the people of the month named in the text, such as "2026-10 张", or of the latest month with people. */
export const attendanceFindable: readonly Findable[] = [
  {
    what: { zh: "考勤人员", en: "Employees of a month" },
    needs: attendance.listEmployees,
    find: async (text, options) => {
      const months = await callWith(attendance.listMonths, {}, options);
      const month =
        months.find((one) => text.includes(one.month) && one.employees > 0) ?? months.find((one) => one.employees > 0);
      if (!month) return [];
      const keyword = text.replace(month.month, "").trim();
      const query = { month: month.month, keyword, curPage: 1, pageSize: mostFound };
      const { list } = await callWith(attendance.listEmployees, { query }, options);
      return list.map(({ userId, workNum, workName, groupOfCheck, department }) => {
        const key = toPersonKey({ userId, workNumber: workNum, name: workName, group: groupOfCheck });
        return {
          label: workName,
          about: [month.month, department].filter(Boolean).join(" · "),
          to: `/attendance/months/${month.month}?person=${encodeURIComponent(key)}`,
        };
      });
    },
  },
];
