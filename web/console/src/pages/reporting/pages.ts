import { reporting } from "#shared/api/reporting.ts";
import type { Page } from "#console/shell/section.ts";

export const reportingPages: readonly Page[] = [
  {
    path: "reports",
    title: { zh: "报备记录", en: "Reports" },
    needs: reporting.listReports,
    load: async () => (await import("#console/pages/reporting/reports-page.tsx")).ReportsPage,
  },
  {
    path: "queue",
    title: { zh: "报备审核", en: "Review" },
    needs: reporting.markValid,
    load: async () => (await import("#console/pages/reporting/queue-page.tsx")).QueuePage,
  },
  {
    path: "administrators",
    title: { zh: "管理员", en: "Administrators" },
    needs: reporting.listAdministrators,
    load: async () => (await import("#console/pages/reporting/administrators-page.tsx")).AdministratorsPage,
  },
];
