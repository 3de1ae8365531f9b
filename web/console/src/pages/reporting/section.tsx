import { FileDoneOutlined } from "@ant-design/icons";
import { reporting } from "#shared/api/reporting.ts";
import type { Section } from "#console/shell/section.ts";

export const reportingSection: Section = {
  service: "reporting",
  title: { zh: "项目报备", en: "Reporting" },
  icon: <FileDoneOutlined aria-hidden />,
  operations: reporting,
  loadFigures: async () => (await import("#console/pages/reporting/home/figures.tsx")).ReportingFigures,
  loadFindables: async () => (await import("#console/pages/reporting/find.ts")).reportingFindable,
  loadSettingWords: async () => (await import("#console/pages/reporting/setting-words.ts")).settingWords,
  accounts: {
    title: { zh: "项目报备管理员", en: "Reporting administrator" },
    page: "administrators",
    list: reporting.listAdministrators,
  },
};
