import { explain, type Problem } from "#platform/contract/problem.ts";

export const noSuchEmployee = (): Problem => explain("notFound", "该月没有这位员工", "the month has no such employee");

/** Employees who share what was asked for can be told apart by their groups. */
export function severalAreMeant(groups: readonly string[]): Problem {
  const names = [...new Set(groups)].map((group) => `“${group}”`);
  return explain(
    "notAllowedNow",
    `符合条件的员工不止一位，请以 groupOfCheck 指明考勤组：${names.join("、")}`,
    `several employees are meant; groupOfCheck says which, out of ${names.join(", ")}`,
  );
}
