import type { Dimensions } from "#platform/contract/scope.ts";

/** By what an operator is narrowed to some of the employees. */
export const dimensions: Dimensions = {
  department: { label: { zh: "部门", en: "Department" }, isPath: true },
  groupOfCheck: { label: { zh: "考勤组", en: "Attendance group" } },
};
