import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { numberOf } from "#platform/database/migrations.ts";
import { findMigrationFaults, isLinted } from "./lint.ts";

const folder = new URL("../../migrations/", import.meta.url);
const names = (await readdir(folder)).toSorted();
const numbers = new Set(names.map(numberOf));
const files = await Promise.all(
  names.map(async (name) => ({ name, sql: await readFile(new URL(name, folder), "utf8") })),
);

test("every migration after those of version 1.0.0 says beside which programs it runs, and locks nobody out", () => {
  assert.deepEqual(
    files.filter(isLinted).flatMap((file) => findMigrationFaults(file, numbers)),
    [],
  );
});

test("no two migrations have one number", () => {
  assert.equal(numbers.size, names.length);
});

const find = (sql: string): string[] => findMigrationFaults({ name: "9000_planted.sql", sql }, numbers);

/** Each migration has one fault, which the message must name. */
const planted: readonly (readonly [sql: string, said: RegExp])[] = [
  ["alter table a.b add column c text;", /does not say beside which program/],
  ["-- beside: 8000\nselect 1;", /names 8000, which no migration has/],
  ["-- beside: 9001\nselect 1;", /which comes later/],
  ["-- beside: 0006\ncreate index c on a.b (c);", /require-concurrent-index-creation/],
  ["-- beside: 0006\nalter table a.b rename column c to d;", /renaming-column/],
  ["-- beside: 0006\nalter table a.b drop column c;", /ban-drop-column/],
  ["-- beside: 0006\ndrop function a.b(int);", /takes away what programs beside it use/],
  ["-- beside: 0006\nalter table a.b add column c int;\ndrop trigger d on a.b;", /takes away/],
  ["-- beside: 0006\nalter function a.b(int) rename to c;", /takes away/],
  ["-- beside: 0006\n-- Fills it in.\nupdate a.b set c = 1;", /a job does it in small pieces/],
  ["-- beside: 0006\n-- outside a transaction\ncreate index c on a.b (c);", /require-concurrent-index-creation/],
  ["-- beside: 0006\nalter tabel a.b;", /syntax-error/],
];

for (const [sql, said] of planted)
  test(`a fault is found: ${sql.split("\n").at(-1)}`, () => {
    assert.match(find(sql).join("\n"), said);
  });

test("what expands is let through, and what contracts and says so", () => {
  const sound = [
    "-- beside: 0006\nalter table a.b add column c int not null default 0;\ncreate table a.d (id int primary key, update text);",
    "-- beside: 0006\ncreate table a.d (id bigint primary key);\ncreate index d_id on a.d (id);",
    "-- beside: 0006\nalter table a.b add check (c > 0) not valid;",
    "-- beside: 0006\n-- outside a transaction\ncreate index concurrently if not exists c on a.b (c);",
    "-- beside: 0006\n-- contracts: 0006 reads c from a.d\nalter table a.b drop column c;\ndrop function a.e(int);",
    "-- beside: 0006\n-- One of few rows.\nupdate a.b set c = 1;",
    "-- beside: 0006\ncreate function a.e() returns void language plpgsql as $$\nbegin\n  drop view a.x;\n  update a.b set c = 1;\nend $$;",
  ];
  assert.deepEqual(sound.flatMap(find), []);
});
