import { tellOldest, waits } from "#console/shell/waiting.ts";
import { reporting } from "#shared/api/reporting.ts";

const oldest = { valid: 0, orderField: "reportingTime", order: "asc", currPage: 1, pageSize: 1 } as const;

export const reportingWaiting = [
  waits(
    reporting.reviewReports,
    [reporting.markValid],
    () => ({ query: oldest }),
    (page) =>
      tellOldest(page, { zh: "待审核的报备", en: "Reports to review" }, ({ id, entryName, reportingTime }) => ({
        first: entryName,
        since: reportingTime,
        to: `/reporting/queue?open=${id}`,
      })),
  ),
];
