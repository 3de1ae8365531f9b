import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { extractText, getDocumentProxy } from "unpdf";
import { atLength } from "#test/at-length.ts";
import { startTestApp, type TestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { type Employee, makeMonth, monthSheet, originalSheet } from "#test/attendance/workbooks.ts";
import { buildWeb, openConsoleTests } from "#test/browser/console.ts";
import { settle } from "#test/browser/pages.ts";

// The test reads the text of the browser's PDF. The page is in English, since a machine may have no Chinese font and a
// missing glyph yields no text.

interface Sheet {
  readonly text: string;
  readonly pages: readonly string[];
  readonly widthPt: number;
  readonly heightPt: number;
}

async function print(page: Page): Promise<Sheet> {
  const bytes = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text: pages } = await extractText(document);
  const [, , widthPt = 0, heightPt = 0] = (await document.getPage(1)).view;
  return { text: pages.join("\n"), pages, widthPt, heightPt };
}

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;

const chrome = /Navigation|Sign out|Collapse|Search|Reset|Refresh|Columns|Export|Download|Import sheets|Analyse again/;

const month = "2026-05";
const people = 130;

async function sendMonth(app: TestApp, token: string): Promise<void> {
  const made = makeMonth({ month, people, seed: 11, generation: 2026 });
  // The work number alone is no key, since some people have none.
  const keyOf = ({ name, workNumber, userId }: Employee) => [name, workNumber, userId].join();
  const names = new Map(
    made.employees.map((employee, index) => [keyOf(employee), `Person${String(index).padStart(3, "0")}`]),
  );
  const rename = <L extends Employee>(line: L): L => ({
    ...line,
    name: names.get(keyOf(line)) ?? line.name,
    department: "Registry",
  });
  const range = { generation: 2026, start: `${month}-01`, end: `${month}-31` } as const;
  const attendance = await openAttendance(app, token);
  await attendance.send("month", [monthSheet({ ...range, lines: made.monthLines.map(rename) })]);
  await attendance.send("original", [originalSheet({ ...range, lines: made.punchLines.map(rename) })]);
  await attendance.analyse(month);
}

test(
  "a month is printed across, with everybody and all days; a person with all that explains their figures",
  atLength,
  async () => {
    await buildWeb();
    const app = await startTestApp();
    const tests = await openConsoleTests(app);
    const { userName, token } = await app.signIn("platform");
    await sendMonth(app, token);
    const { page, visit } = await tests.open({ as: { account: "platform", userName }, language: "en", theme: "dark" });
    await visit(`/attendance/months/${month}`);
    await page.getByText(`${people} of ${people} people`).waitFor();
    const { text, pages, widthPt, heightPt } = await print(page);
    assert.ok(widthPt > heightPt, `landscape: ${widthPt} by ${heightPt}`);
    assert.equal(Math.round(heightPt), 595, "A4");
    assert.equal(new Set(text.match(/Person\d{3}/g)).size, people);
    assert.equal(count(text, /Person\d{3}/g), people, "each once");
    assert.match(text, new RegExp(`Attendance ${month}`));
    assert.match(text, /Printed .* by /);
    assert.doesNotMatch(text, chrome);
    // Every sheet has the days' headings, except that the last sheet may contain only the note.
    for (const sheet of pages.slice(0, -1)) assert.match(sheet, /\b28\b[^]*\b29\b[^]*\b30\b[^]*\b31\b/);
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark", "the screen is as it was");

    await page.getByRole("button", { name: /^Person005/ }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("heading", { name: "Day by day" }).waitFor();
    await settle(page);
    const person = await print(page);
    assert.ok(person.widthPt < person.heightPt, "upright");
    assert.deepEqual(new Set(person.text.match(/Person\d{3}/g)), new Set(["Person005"]), "nobody else");
    assert.ok(count(person.text, /Raw punches\s+row\s+\d+/g) > 20, "down to the rows of the sheets");
    assert.doesNotMatch(person.text, chrome);
  },
);
