import type * as z from "zod";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Pool, Within } from "#platform/database/index.ts";
import type { similarReport } from "./report-contract.ts";
import { type Candidate, findStatistics, listCandidates } from "./similar-store.ts";
import { choosePieces, compareWith, mark } from "./similarity.ts";
import type { ReportRow } from "./store.ts";

export const mostFound = 600;
const mostShown = 5;
const leastScore = 0.3;

export async function listSimilar(pool: Pool, report: ReportRow, within: Within, zone: string) {
  const { shares, reports } = await findStatistics(pool);
  const pieces = choosePieces(report, shares, mostFound, reports);
  const candidates = await listCandidates(pool, report.id, pieces, within);
  const compare = compareWith(report, shares);
  return candidates
    .map((candidate) => ({ candidate, score: compare(candidate) }))
    .filter(({ score }) => score >= leastScore)
    .toSorted((one, other) => other.score - one.score || one.candidate.id - other.candidate.id)
    .slice(0, mostShown)
    .map(({ candidate, score }) => toWire(candidate, score, report, zone));
}

const toWire = (row: Candidate, score: number, report: ReportRow, zone: string): z.input<typeof similarReport> => ({
  id: row.id,
  entryName: row.entryName,
  customerName: row.customerName,
  company: row.company,
  tenderTime: formatDateTime(row.tenderTime, zone),
  reportingTime: formatDateTime(row.createdAt, zone),
  status: row.closed ? 0 : 1,
  valid: row.verdict,
  score: Math.round(score * 100) / 100,
  isAlike: score >= mark,
  isEarlier:
    row.createdAt < report.createdAt || (row.createdAt.getTime() === report.createdAt.getTime() && row.id < report.id),
});
