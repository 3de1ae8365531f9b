import type { Dimensions, Places } from "#platform/contract/scope.ts";

/** Scope dimensions: operators may be restricted to some employees. */
export const dimensions: Dimensions = {
  department: { label: { zh: "部门", en: "Department" }, isPath: true },
  groupOfCheck: { label: { zh: "考勤组", en: "Attendance group" } },
};

/** Scope columns in tables with employees' rows. */
export const places: Places = { department: "department", groupOfCheck: "group_name" };
