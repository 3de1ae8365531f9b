import { findable, mostFound } from "#console/shell/find.ts";
import { reporting } from "#shared/api/reporting.ts";

export const reportingFindable = [
  findable(
    { zh: "报备", en: "Reports" },
    reporting.reviewReports,
    (keyword) => ({ query: { keyword, currPage: 1, pageSize: mostFound } }),
    ({ list }) =>
      list.map(({ id, entryName, company, reportingTime }) => ({
        label: entryName,
        about: `${company} · ${reportingTime.slice(0, 10)}`,
        to: `/reporting/reports?open=${id}`,
      })),
  ),
];
