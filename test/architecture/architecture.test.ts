import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { findCircles, listImports } from "./circles.ts";
import { describeRooms, findRoomFaults, rooms } from "./rooms.ts";
import { findViolations, readFile as readImports, ruleNames, type SourceFile } from "./rules.ts";

const root = new URL("../../", import.meta.url);

const paths = await Array.fromAsync(
  glob("{src,demo,test,bench,scripts,web}/**/*.{ts,tsx}", { cwd: root.pathname, exclude: ["web/dist"] }),
);
const files: SourceFile[] = await Promise.all(
  paths.map(async (path) => ({
    path: path.replaceAll("\\", "/"),
    source: await readFile(new URL(path, root), "utf8"),
  })),
);

test("the code keeps the rules of the house", (context) => {
  context.diagnostic(`${files.length} files read, ${ruleNames.length} rules`);
  assert.ok(files.length > 80, "the test must have read the project");
  assert.deepEqual(findViolations(files), []);
});

test("the rooms of the platform stand in one order, and none imports what stands above it", (context) => {
  context.diagnostic(`the rooms of the platform, read from the ground up:\n  ${describeRooms(files)}`);
  assert.deepEqual(findRoomFaults(files), []);
  const found = new Set(files.map(({ path }) => path.split("/")[2]));
  for (const room of rooms) assert.ok(found.has(room), `${room} is there`);
});

test("the folders of attendance stand in one order, and none imports what stands above it", () => {
  const folders = ["workbook", "analysis", "import", "answers"];
  const floorOf = (path: string): number => folders.indexOf(/services\/attendance\/([^/]+)\/./.exec(path)?.[1] ?? "");
  const own = files.filter(({ path }) => floorOf(path) >= 0 && !path.endsWith(".test.ts"));
  assert.ok(own.length > 30, "the test must have read them");
  const faults = own.flatMap((file) =>
    readImports(file)
      .imports.filter((name) => floorOf(name) > floorOf(file.path))
      .map((name) => `${file.path} imports ${name}`),
  );
  assert.deepEqual(faults, []);
});

test("no files of the pages import one another in a circle", (context) => {
  const imports = listImports(files);
  const count = [...imports.values()].flat().length;
  context.diagnostic(`${imports.size} files of the pages read, with ${count} imports of one another`);
  assert.ok(imports.size > 200 && count > 1500, "the test must have read the pages");
  assert.deepEqual(findCircles(imports), []);
});

test("a planted circle of the pages is caught: a type one way, late code the other", () => {
  const circle = [
    { path: "web/console/src/a.tsx", source: 'export const load = () => import("#console/b.tsx");' },
    { path: "web/console/src/b.tsx", source: 'import type { A } from "./c.ts"; export type B = A;' },
    { path: "web/console/src/c.ts", source: 'export * from "#console/a.tsx";' },
  ];
  const others = [
    { path: "web/console/src/d.ts", source: 'import "./a.tsx"; import "#shared/e.ts";' },
    { path: "web/shared/e.ts", source: "export const e = 1;" },
  ];
  const found = findCircles(listImports([...circle, ...others]));
  assert.deepEqual(
    found,
    circle.map(({ path }) => path),
  );
});

test("a planted import that runs up from one room to another is caught, late ones too", () => {
  const [fault = "", ...more] = findRoomFaults([
    { path: "src/platform/http/x.ts", source: 'export * from "#platform/accounts/x.ts";' },
    { path: "src/platform/files/x.ts", source: 'export const a = () => import("#platform/http/x.ts");' },
  ]);
  assert.match(fault, /^src\/platform\/files\/x\.ts imports #platform\/http/);
  assert.deepEqual(more, []);
});

const planted: Readonly<Record<string, readonly [path: string, source: string]>> = {
  "platform knows no service": ["src/platform/x.ts", 'import { a } from "#services/library/index.ts"; a();'],
  "platform says no word of a service": ["src/platform/http/x.ts", "export const open = { a: settings.PUSH_POLL_MS };"],
  "a service meets another at its index": [
    "src/services/attendance/x.ts",
    'import type { A } from "#services/reporting/store.ts"; export type B = A;',
  ],
  "imports start with ./ or a door": [
    "src/services/reporting/x.ts",
    'export * from "../../platform/contract/times.ts";',
  ],
  "a contract imports schemas only": ["src/services/reporting/contract.ts", 'import "./store.ts";'],
  "rules import the contract only": ["src/services/reporting/rules.ts", 'import { x } from "./store.ts"; x();'],
  "a store knows no HTTP and no routes": [
    "src/services/reporting/store.ts",
    'import type { FastifyRequest } from "fastify"; export type A = FastifyRequest;',
  ],
  "contract, rules and routes hold no SQL": [
    "src/services/reporting/routes.ts",
    "export const f = (db: never) => db<{ id: number }[]>`select 1`;",
  ],
  "no SQL across schemas": [
    "src/services/attendance/store.ts",
    "export const f = (db: never) => db`select 1 from reporting.report`;",
  ],
  "only the process opens a pool": [
    "src/services/reporting/x.ts",
    'import { openPool } from "#platform/database/index.ts"; openPool("", { connections: 1 });',
  ],
  "a page's lists are records": ["web/console/src/pages/x.tsx", 'import { Button, Table } from "antd"; Button(Table);'],
  "code comes late by one door": [
    "web/console/src/blocks/x.tsx",
    'import { lazy } from "react"; export const X = lazy(() => import("./y.tsx"));',
  ],
  "the driver is spoken to in one place": ["src/platform/jobs/runner.ts", 'import pg from "pg"; pg.Pool;'],
  "the web imports types of contracts only": [
    "web/shared/x.ts",
    'import { endpoints } from "#services/reporting/contract.ts"; endpoints();',
  ],
  "what the web computes with imports nothing": [
    "src/platform/contract/datum.ts",
    'import * as z from "zod"; export const datum = z.string();',
  ],
  "a page imports no other service's pages": [
    "web/console/src/pages/reporting/x.ts",
    'import { useTexts } from "#console/pages/attendance/texts.ts"; useTexts();',
  ],
  "scripts import nothing of the tests": [
    "scripts/x.ts",
    'import { openBrowser } from "#test/browser/browser.ts"; openBrowser();',
  ],
  "the demonstration is loaded late, by the command line alone": [
    "src/main.ts",
    'import { loadDemo } from "#demo/index.ts"; await loadDemo();',
  ],
  "no default exports": ["src/platform/x.ts", "export default 1;"],
  "names say what is inside": ["src/platform/utils/x.ts", "export const a = 1;"],
};

for (const rule of ruleNames) {
  test(`a planted file is caught: ${rule}`, () => {
    const [path, source] = planted[rule] ?? assert.fail("every rule has a file that breaks it");
    assert.deepEqual([...new Set(findViolations([{ path, source }]).map((violation) => violation.rule))], [rule]);
  });
}
