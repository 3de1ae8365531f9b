import { CalendarOutlined } from "@ant-design/icons";
import { attendance } from "#shared/api/attendance.ts";
import type { Section } from "#console/shell/section.ts";

export const attendanceSection: Section = {
  service: "attendance",
  title: { zh: "考勤分析", en: "Attendance" },
  icon: <CalendarOutlined aria-hidden />,
  operations: attendance,
  loadFigures: async () => (await import("#console/pages/attendance/home/figures.tsx")).AttendanceFigures,
  loadFindables: async () => (await import("#console/pages/attendance/find.ts")).attendanceFindable,
  loadSettingWords: async () => (await import("#console/pages/attendance/setting-words.ts")).settingWords,
};
