import assert from "node:assert/strict";
import type { Book, BookedReport, Client } from "./load.ts";

interface Page<T> {
  readonly totalCount: number;
  readonly list: readonly T[];
}

interface ListedReport {
  readonly id: number;
  readonly name: string;
  readonly status: 0 | 1;
  readonly valid: 0 | 1 | 2;
  readonly ps: string | null;
}

interface AuditLine {
  readonly action: string;
  readonly outcome: string;
  readonly records: readonly string[];
  readonly detail: Readonly<Record<string, unknown>> | null;
}

export const reportList = "/reporting/informationReporting/list";

export async function listAll<T>(client: Client, path: string): Promise<Page<T>> {
  const all: T[] = [];
  for (let number = 1; ; number++) {
    const address = `${path}${path.includes("?") ? "&" : "?"}pageSize=1000&currPage=${number}&curPage=${number}`;
    const { totalCount, list } = (await client.call("GET", address)) as Page<T>;
    all.push(...list);
    if (list.length === 0 || all.length >= totalCount) return { totalCount, list: all };
  }
}

/**
 * Every acknowledged write must exist. An unacknowledged write must exist entirely or not at all. The totals and the
 * audit log must agree with the records.
 */
export async function inspect(client: Client, book: Book) {
  const { list: reports } = await listAll<ListedReport>(client, reportList);
  const { list: audit } = await listAll<AuditLine>(client, "/platform/audit?service=reporting");
  const byName = Map.groupBy(reports, ({ name }) => name);
  for (const [name, listed] of byName) assert.equal(listed.length, 1, `${name} is there ${listed.length} times`);
  for (const name of byName.keys()) assert.ok(book.has(name), `${name} was never sent`);
  const linesById = Map.groupBy(
    audit.filter(({ outcome }) => outcome === "done"),
    ({ records }) => records[0] ?? "",
  );
  const counts = { reports: reports.length, lostButThere: 0, lostAndGone: 0 };
  for (const [name, booked] of book) {
    const listed = byName.get(name)?.[0];
    if (listed) checkReport(booked, listed, linesById.get(String(listed.id)) ?? []);
    else assert.equal(booked.id, undefined, `${name} was acknowledged and is gone`);
    if (booked.id === undefined) counts[listed ? "lostButThere" : "lostAndGone"]++;
  }
  await checkTotals(client, reports);
  const known = new Set(reports.map(({ id }) => String(id)));
  for (const { action, records } of audit.filter((line) => /^(?:close|mark)/.test(line.action)))
    for (const id of records) assert.ok(known.has(id), `${action} of ${id}, which is no report`);
  return counts;
}

function checkReport(booked: BookedReport, listed: ListedReport, lines: readonly AuditLine[]): void {
  const { name } = booked.body;
  if (booked.id !== undefined) assert.equal(listed.id, booked.id);
  assert.deepEqual({ ...listed, ...booked.body }, listed, `${name} is there in part`);
  const closings = lines.filter(({ action }) => action === "closeReport").length;
  if (booked.close === "acknowledged") assert.equal(listed.status, 0, `${name} was closed and is open`);
  if (booked.close === undefined) assert.equal(listed.status, 1, `${name} is closed, and nobody closed it`);
  assert.equal(
    closings,
    listed.status === 0 ? 1 : 0,
    `${name} has the status ${listed.status} and ${closings} audit lines of a close`,
  );
  checkJudgements(booked, listed, lines);
}

function checkJudgements({ body, judgements }: BookedReport, listed: ListedReport, lines: readonly AuditLine[]): void {
  const { name } = body;
  const audited = lines
    .filter(({ action }) => action.startsWith("mark"))
    .map(({ action, detail }) => `${action} ${String(detail?.["ps"])}`);
  const said = new Set(judgements.map(({ line }) => line));
  for (const { line, fate } of judgements)
    if (fate === "acknowledged")
      assert.ok(audited.includes(line), `${name}: ${line} was acknowledged and has no audit line`);
  for (const line of audited) assert.ok(said.has(line), `${name}: ${line} was never sent`);
  assert.equal(new Set(audited).size, audited.length, `${name}: a judgement was audited twice`);
  // A report must show the last of its verdicts that the audit log has.
  const shown = judgements.findLast(({ line }) => audited.includes(line));
  const verdict = shown ? [shown.valid, shown.ps] : [0, null];
  assert.deepEqual([listed.valid, listed.ps], verdict, `${name} shows another verdict than its last`);
}

/** The server keeps totals in tallies instead of counting rows, so a crash might leave them wrong. */
async function checkTotals(client: Client, reports: readonly ListedReport[]): Promise<void> {
  const open = reports.filter(({ status }) => status === 1).length;
  const expected = { "": reports.length, "&status=1": open, "&status=0": reports.length - open, "&delStatus=0": 0 };
  for (const [query, count] of Object.entries(expected)) {
    const { totalCount } = (await client.call("GET", `${reportList}?pageSize=1${query}`)) as Page<unknown>;
    assert.equal(totalCount, count, `the total of the list is not its real count: ${query}`);
  }
}
