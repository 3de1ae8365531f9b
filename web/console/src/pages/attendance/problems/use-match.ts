import { attendance } from "#shared/api/attendance.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Unmatched } from "#console/pages/attendance/records.ts";
import { texts } from "#console/pages/attendance/problems/texts.ts";

/** Somebody of a sheet who is settled by hand. */
export type Somebody = Pick<Unmatched["people"][number], "workName" | "userId" | "workNum" | "kind">;
export type RosterEmployee = RecordOf<typeof attendance.listEmployees>;

/** Settles somebody as an employee, as nobody, or undoes it; and whether that is under way. */
export function useMatch(month: string, { workName, userId, workNum, kind }: Somebody) {
  const t = useTexts(texts);
  const given = { month, sheet: kind, person: { name: workName, userId, workNum } };
  const settle = useChange(attendance.match, { done: t.matched(workName) });
  const undo = useChange(attendance.match, { done: t.undone(workName) });
  return {
    isBusy: settle.isPending || undo.isPending,
    settleAs: (employee: RosterEmployee) =>
      settle.mutate({ body: { ...given, userId: employee.userId, groupOfCheck: employee.groupOfCheck } }),
    settleAsNobody: () => settle.mutate({ body: { ...given, userId: "" } }),
    undo: () => undo.mutate({ body: { ...given, userId: null } }),
  };
}
