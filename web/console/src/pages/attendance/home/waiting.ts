import { today } from "#console/blocks/format.ts";
import { tellAll, tellOldest, waits } from "#console/shell/waiting.ts";
import { attendance } from "#shared/api/attendance.ts";
import type { RecordOf } from "#shared/call/operation.ts";

type Month = RecordOf<typeof attendance.listMonths>;

const oldest = { state: "open", orderField: "makeTime", order: "asc", curPage: 1, pageSize: 1 } as const;

const kinds = [
  {
    what: { zh: "待分析的月份", en: "Months to analyse" },
    has: ({ statu, employees }: Month) => statu === 0 && employees > 0,
    since: ({ importTime }: Month) => importTime,
  },
  {
    what: { zh: "分析失败的月份", en: "Months whose analysis failed" },
    has: ({ statu }: Month) => statu === 3,
    since: ({ importTime }: Month) => importTime,
  },
  {
    what: { zh: "待核对并锁定的月份", en: "Months to check and lock" },
    has: ({ statu, locked, days }: Month) => statu === 2 && locked === null && days.to < today(),
    since: ({ analyseTime }: Month) => analyseTime,
  },
];

export const attendanceWaiting = [
  waits(
    attendance.listObjections,
    [attendance.judgeObjection],
    () => ({ query: oldest }),
    (page) =>
      tellOldest(page, { zh: "待处理的考勤异议", en: "Objections to review" }, ({ id, workName, makeTime }) => ({
        first: workName,
        since: makeTime,
        to: `/attendance/objections?open=${id}`,
      })),
  ),
  waits(
    attendance.listMonths,
    [attendance.analyse, attendance.lock],
    () => ({}),
    (months) =>
      kinds.flatMap(({ what, has, since }) =>
        tellAll(months.filter(has).toReversed(), what, (oldest) => ({
          first: oldest.month,
          since: since(oldest),
          to: `/attendance/months/${oldest.month}`,
        })),
      ),
  ),
];
