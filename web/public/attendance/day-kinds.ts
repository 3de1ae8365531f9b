import type { OwnRow } from "./employee.ts";

export type DayKind = "attended" | "late" | "outside" | "missing" | "absent" | "leave" | "rest" | "none";

type Figure = OwnRow["explain"][number];

export interface OwnDay {
  readonly date: string;
  readonly number: number;
  readonly kind: DayKind;
  readonly cell: string;
  readonly said: readonly { readonly field: string; readonly text: string }[];
  readonly evidence: readonly Figure["entries"][number]["evidence"][number][];
}

const kindOf: readonly (readonly [DayKind, RegExp])[] = [
  ["missing", /^recondOfcardShortage/],
  ["late", /^(?:late|leave)OfRecond$/],
  ["outside", /^abnormalClockRecond$/],
  ["attended", /^attendanceDays$/],
];

const dayMs = 86_400_000;

function listDates({ from, to }: OwnRow["days"]): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return Array.from({ length: (last - first) / dayMs + 1 }, (_, n) =>
    new Date(first + n * dayMs).toISOString().slice(0, 10),
  );
}

export function listOwnDays(row: OwnRow): OwnDay[] {
  const cells = Object.entries(row).flatMap(([field, text]) => (field.endsWith("OfMonth") ? [text as string] : []));
  return listDates(row.days).map((date) => {
    const number = Number(date.slice(8));
    const cell = cells[number - 1] ?? "";
    const entries = row.explain.flatMap(({ field, entries: all }) =>
      all.filter(({ day }) => day === date).map((entry) => ({ field, ...entry })),
    );
    const evidence = new Map(
      entries.flatMap((entry) => entry.evidence).map((each) => [`${each.sheet} ${each.import} ${each.row}`, each]),
    );
    const said = entries.filter(({ field }) => kindOf.some(([, pattern]) => pattern.test(field)));
    return { date, number, cell, kind: findKind(cell, said), said, evidence: [...evidence.values()] };
  });
}

function findKind(cell: string, said: readonly { readonly field: string }[]): DayKind {
  const found = kindOf.find(([, pattern]) => said.some(({ field }) => pattern.test(field)));
  if (found && (found[0] !== "attended" || !cell.includes("缺卡"))) return found[0];
  if (found) return "missing";
  if (/旷工/.test(cell)) return "absent";
  if (/假|出差|外出|调休/.test(cell)) return "leave";
  return cell.startsWith("休息") ? "rest" : "none";
}
