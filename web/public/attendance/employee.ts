import { openGuests } from "#public/blocks/guest.ts";
import { openKept } from "#public/blocks/kept.ts";
import { attendance } from "#shared/api/attendance.ts";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";

export interface Draft {
  readonly day: string;
  readonly kind: Objection["kind"];
  readonly text: string;
  readonly times: Readonly<Record<"上班" | "下班", string>>;
}

export const draft = openKept<Draft>("attendance.draft");

export const employees = openGuests({
  page: "attendance",
  headers: { number: "employee_no", token: "employee_token" },
  forget: () => draft.forget(),
});
export const { ask } = employees;

export type OwnMonth = RecordOf<typeof attendance.listOwnMonths>;
export type OwnRow = DataOf<typeof attendance.readOwnMonth>;
export type Objection = RecordOf<typeof attendance.listOwnObjections>;
