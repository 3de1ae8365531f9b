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

const planted: Readonly<Record<string, SourceFile>> = {
  "platform knows no service": {
    path: "src/platform/x.ts",
    source: 'import { a } from "#services/library/index.ts"; a();',
  },
  "platform says no word of a service": {
    path: "src/platform/http/x.ts",
    source: "export const open = { a: settings.PUSH_POLL_MS };",
  },
  "a service meets another at its index": {
    path: "src/services/attendance/x.ts",
    source: 'import type { A } from "#services/reporting/store.ts"; export type B = A;',
  },
  "imports start with ./ or a door": {
    path: "src/services/reporting/x.ts",
    source: 'export * from "../../platform/contract/times.ts";',
  },
  "a contract imports schemas only": { path: "src/services/reporting/contract.ts", source: 'import "./store.ts";' },
  "rules import the contract only": {
    path: "src/services/reporting/rules.ts",
    source: 'import { x } from "./store.ts"; x();',
  },
  "a store knows no HTTP and no routes": {
    path: "src/services/reporting/store.ts",
    source: 'import type { FastifyRequest } from "fastify"; export type A = FastifyRequest;',
  },
  "contract, rules and routes hold no SQL": {
    path: "src/services/reporting/routes.ts",
    source: "export const f = (db: never) => db<{ id: number }[]>`select 1`;",
  },
  "no SQL across schemas": {
    path: "src/services/attendance/store.ts",
    source: "export const f = (db: never) => db`select 1 from reporting.report`;",
  },
  "only the process opens a pool": {
    path: "src/services/reporting/x.ts",
    source: 'import { openPool } from "#platform/database/index.ts"; openPool("", { connections: 1 });',
  },
  "a page's lists are records": {
    path: "web/console/src/pages/x.tsx",
    source: 'import { Button, Table } from "antd"; Button(Table);',
  },
  "code comes late by one door": {
    path: "web/console/src/blocks/x.tsx",
    source: 'import { lazy } from "react"; export const X = lazy(() => import("./y.tsx"));',
  },
  "the driver is spoken to in one place": {
    path: "src/platform/jobs/runner.ts",
    source: 'import pg from "pg"; pg.Pool;',
  },
  "the web imports types of contracts only": {
    path: "web/shared/x.ts",
    source: 'import { endpoints } from "#services/reporting/contract.ts"; endpoints();',
  },
  "what the web computes with imports nothing": {
    path: "src/platform/contract/datum.ts",
    source: 'import * as z from "zod"; export const datum = z.string();',
  },
  "a page imports no other service's pages": {
    path: "web/console/src/pages/reporting/x.ts",
    source: 'import { texts } from "#console/pages/attendance/texts.ts"; texts();',
  },
  "scripts import nothing of the tests": {
    path: "scripts/x.ts",
    source: 'import { openBrowser } from "#test/browser/browser.ts"; openBrowser();',
  },
  "the demonstration is loaded late, by the command line alone": {
    path: "src/main.ts",
    source: 'import { loadDemo } from "#demo/index.ts"; await loadDemo();',
  },
  "no default exports": { path: "src/platform/x.ts", source: "export default 1;" },
  "names say what is inside": { path: "src/platform/utils/x.ts", source: "export const a = 1;" },
};

for (const rule of ruleNames) {
  test(`a planted file is caught: ${rule}`, () => {
    const file = planted[rule];
    assert.ok(file, "every rule has a file that breaks it");
    assert.deepEqual([...new Set(findViolations([file]).map((violation) => violation.rule))], [rule]);
  });
}
