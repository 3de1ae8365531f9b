import type { Dimensions, Places } from "#platform/contract/scope.ts";

/** By what an operator is narrowed to some of the employees. */
export const dimensions: Dimensions = {
  department: { label: { zh: "部门", en: "Department" }, isPath: true },
  groupOfCheck: { label: { zh: "考勤组", en: "Attendance group" } },
};

/** Of whatever has an employee's row. */
export const places: Places = { department: "department", groupOfCheck: "group_name" };
