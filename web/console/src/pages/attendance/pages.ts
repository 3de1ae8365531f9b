import { attendance } from "#shared/api/attendance.ts";
import type { Page } from "#console/shell/section.ts";

export const attendancePages: readonly Page[] = [
  {
    path: "months",
    title: { zh: "考勤月份", en: "Months" },
    needs: attendance.listMonths,
    load: async () => (await import("#console/pages/attendance/months-page.tsx")).MonthsPage,
  },
  {
    path: "months/:month",
    title: { zh: "月度考勤", en: "Month" },
    needs: attendance.listMonths,
    hidden: true,
    load: async () => (await import("#console/pages/attendance/month-page.tsx")).MonthPage,
  },
  {
    path: "months/:month/people",
    title: { zh: "未匹配人员", en: "Unmatched people" },
    needs: attendance.listUnmatched,
    hidden: true,
    load: async () => (await import("#console/pages/attendance/problems/people-queue-page.tsx")).PeopleQueuePage,
  },
  {
    path: "objections",
    title: { zh: "考勤异议", en: "Objections" },
    needs: attendance.listObjections,
    load: async () => (await import("#console/pages/attendance/objections/objections-page.tsx")).ObjectionsPage,
  },
  {
    path: "corrections",
    title: { zh: "考勤更正", en: "Corrections" },
    needs: attendance.listCorrections,
    load: async () => (await import("#console/pages/attendance/objections/corrections-page.tsx")).CorrectionsPage,
  },
  {
    path: "compare",
    title: { zh: "月份对比", en: "Compare" },
    needs: attendance.compare,
    load: async () => (await import("#console/pages/attendance/compare-page.tsx")).ComparePage,
  },
  {
    path: "imports",
    title: { zh: "导入记录", en: "Imports" },
    needs: attendance.listImports,
    load: async () => (await import("#console/pages/attendance/imports-page.tsx")).ImportsPage,
  },
  {
    path: "settings",
    title: { zh: "考勤设置", en: "Settings" },
    needs: attendance.readSettings,
    load: async () => (await import("#console/pages/attendance/settings-page.tsx")).SettingsPage,
  },
];
