import type { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { formatFen, toFen } from "#shared/money.ts";

export type DeskRow = RecordOf<typeof tuitionPayment.listDesk>;
type Action = DeskRow["actions"][number];
/** What the user chooses: an action, `approve` or `refuse` for a requested refund, or `keep` for a failed refund. */
export type Step = Action | "approve" | "refuse" | "keep";
export type Decision = Exclude<Step, "ask">;

export const deskKinds = [
  "long",
  "short",
  "mismatch",
  "late",
  "otherAmount",
  "refundFailed",
  "refundAsked",
] as const satisfies readonly DeskRow["kind"][];

export const letterOf: Readonly<Record<Step, string>> = {
  ask: "Q",
  settle: "S",
  refund: "R",
  approve: "R",
  again: "A",
  outside: "O",
  note: "N",
  refuse: "N",
  keep: "N",
};

export function toStep({ kind }: DeskRow, action: Action): Step {
  if (kind === "refundAsked") return action === "refund" ? "approve" : action === "note" ? "refuse" : action;
  return kind === "refundFailed" && action === "note" ? "keep" : action;
}

export const actionOf: Readonly<Record<Decision, Action>> = {
  settle: "settle",
  refund: "refund",
  approve: "refund",
  again: "again",
  outside: "outside",
  note: "note",
  refuse: "note",
  keep: "note",
};

export const fieldOf: Readonly<Record<Decision, "reason" | "evidence" | "note" | undefined>> = {
  settle: undefined,
  refund: "reason",
  approve: undefined,
  again: undefined,
  outside: "evidence",
  note: "note",
  refuse: "note",
  keep: "note",
};

/** Administrators who may not move money may still add a note to a difference in a statement. */
export const isDifference = ({ kind }: DeskRow): boolean => kind === "long" || kind === "short" || kind === "mismatch";

export const isRefund = ({ kind }: DeskRow): boolean => kind === "refundFailed" || kind === "refundAsked";

/** A difference about a refund has a negative amount. */
export const adviceOf = ({ kind, amount, theirAmount }: DeskRow) =>
  (kind === "long" || kind === "short") && (theirAmount ?? amount ?? 0) < 0 ? (`${kind}Refund` as const) : kind;

/** Returns the amount in yuan. */
export const sumOf = (row: DeskRow): number => (isRefund(row) ? row.amount : row.theirAmount) ?? row.amount ?? 0;

export const showMoney = (yuan: number): string => (yuan < 0 ? `-${formatFen(toFen(-yuan))}` : formatFen(toFen(yuan)));
