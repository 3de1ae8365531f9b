import * as z from "zod";
import type { Bilingual } from "#platform/contract/language.ts";
import { explain, type Problem } from "#platform/contract/problem.ts";
import { requiredText } from "#platform/contract/wire.ts";

// An account can be narrowed to a scope: of each dimension that it names, a record must have one of the values.

/** The values of each dimension that it names. Null stands for everything. */
export type Scope = Readonly<Record<string, readonly string[] | undefined>> | null;

export interface Dimension {
  readonly label: Bilingual;
  /** Its values are paths, several with commas between, and a value has all that is below it. */
  readonly isPath?: true;
}

/** Those of a service by their names, which no other service has. */
export type Dimensions = Readonly<Record<string, Dimension>>;

/** Where a table has the dimensions of its service: SQL for the text of each. */
export type Places = Readonly<Record<string, string>>;

const values = z.array(requiredText()).min(1).max(1000);

/** A record and no object, of which a field that nobody knows is passed over: everything would be shown. */
export const scopeField = (dimensions: readonly string[]) =>
  z
    .partialRecord(z.enum(dimensions), values)
    .nullable()
    .describe("Of each dimension the values whose records are shown and changed; null: everything. An addition");

/** Its dimensions with their values, in one order. */
export const listNamed = (scope: Scope): [name: string, values: readonly string[]][] =>
  Object.entries(scope ?? {})
    .flatMap(([name, texts]): [string, readonly string[]][] => (texts ? [[name, texts]] : []))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

/** As it is kept: values each once, in one order. */
export function toStoredScope(given: Scope): Scope {
  const named = listNamed(given).map(([name, texts]) => [name, [...new Set(texts)].toSorted()] as const);
  return named.length === 0 ? null : Object.fromEntries(named);
}

export const areSameScopes = (one: Scope, other: Scope): boolean =>
  JSON.stringify(toStoredScope(one)) === JSON.stringify(toStoredScope(other));

/** What of a scope concerns the service of those dimensions; null: everything of it. */
export const narrowTo = (scope: Scope, dimensions: Dimensions = {}): Scope =>
  scope && toStoredScope(Object.fromEntries(listNamed(scope).filter(([name]) => Object.hasOwn(dimensions, name))));

export const outsideScope = (): Problem =>
  explain("forbidden", "超出本人的数据范围", "it would lie outside of one's own scope");

/** What stands between the parts of a path, as exported workbooks write them. */
const below = "/\\-";

/** Whether a text of paths lies in one of those, as `toPathPatterns` has the database find it. */
const isBelow = (path: string, top: string): boolean =>
  path === top || (path.startsWith(top) && below.includes(path.charAt(top.length)));

/** Patterns of `like` for texts in which one of the paths stands anywhere. */
export const toLikePatterns = (paths: readonly string[]): string[] =>
  paths.map((path) => `%${path.replace(/[\\%_]/g, String.raw`\$&`)}%`);

/** Regular expressions of PostgreSQL for texts in which one of the paths, or one below it, stands. */
export const toPathPatterns = (paths: readonly string[]): string[] =>
  paths.map((path) => `(^|[,，]) *${path.replace(/[^\p{L}\p{N}]/gu, String.raw`\$&`)} *($|[,，/\\-])`);

/** Whether the scope shows no more than another does: nobody gives a wider one than their own. */
export const isWithinScope = (inner: Scope, outer: Scope, dimensions: Dimensions): boolean =>
  listNamed(outer).every(([name, own]) =>
    inner?.[name]?.every((value) =>
      dimensions[name]?.isPath ? own.some((top) => isBelow(value, top)) : own.includes(value),
    ),
  );
