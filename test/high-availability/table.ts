import type { Outcome } from "./run.ts";

// The table of a run, in Markdown, as docs/faults.md has it.

const heads = [
  "through",
  "fault",
  "longest without a success, s",
  "slowest request, s",
  "told to try again",
  "acknowledged meanwhile",
  "lost, doubled",
  "pushes missing, out of order",
  "pushed again",
  "both servers ready, s",
  "three nodes again, s",
];

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

export function toRow({ way, fault, seen, ...rest }: Outcome): string {
  const failures = Object.entries(seen.failures).map(([name, count]) => `${count} × ${name}`);
  const cells = [
    way,
    fault,
    seconds(seen.longestGapMs),
    seconds(seen.slowestMs),
    failures.join(", ") || "–",
    seen.acknowledged,
    `${rest.lost}, ${rest.doubled}`,
    `${rest.missing}, ${rest.outOfOrder}`,
    rest.repeated,
    seconds(rest.readyMs),
    seconds(rest.wholeMs),
  ];
  return `| ${cells.join(" | ")} |`;
}

export const toTable = (outcomes: readonly Outcome[]): string =>
  [`| ${heads.join(" | ")} |`, `|${"---|".repeat(heads.length)}`, ...outcomes.map(toRow)].join("\n");
