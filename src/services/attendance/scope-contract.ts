import type { Dimensions, Places } from "#platform/contract/scope.ts";

export const dimensions: Dimensions = {
  department: { label: { zh: "部门", en: "Department" }, isPath: true },
  groupOfCheck: { label: { zh: "考勤组", en: "Attendance group" } },
};

export const places: Places = { department: "department", groupOfCheck: "group_name" };
