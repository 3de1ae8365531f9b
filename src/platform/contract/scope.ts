import * as z from "zod";
import type { Bilingual } from "#platform/contract/language.ts";
import { explain, type Problem } from "#platform/contract/problem.ts";
import { requiredText } from "#platform/contract/wire.ts";

// A record is in the scope if, for each dimension that the scope names, it has one of the listed values. Null means all
// records.

export type Scope = Readonly<Record<string, readonly string[] | undefined>> | null;

export interface Dimension {
  readonly label: Bilingual;
  /**
   * A record's value is a list of paths, separated by commas, and a path in a scope includes everything below the path.
   */
  readonly isPath?: true;
}

export type Dimensions = Readonly<Record<string, Dimension>>;

export type Places = Readonly<Record<string, string>>;

const values = z.array(requiredText()).min(1).max(1000);

/**
 * `z.partialRecord` rejects an unknown dimension. `z.object` would drop it, and a scope without dimensions allows all
 * records.
 */
export const scopeField = (dimensions: readonly string[]) =>
  z
    .partialRecord(z.enum(dimensions), values)
    .nullable()
    .describe("For each dimension, the values whose records are accessible; null: all. Not in the interface documents");

export const listNamed = (scope: Scope): [name: string, values: readonly string[]][] =>
  Object.entries(scope ?? {})
    .flatMap(([name, texts]): [string, readonly string[]][] => (texts ? [[name, texts]] : []))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

export function toStoredScope(given: Scope): Scope {
  const named = listNamed(given).map(([name, texts]) => [name, [...new Set(texts)].toSorted()] as const);
  return named.length === 0 ? null : Object.fromEntries(named);
}

export const areSameScopes = (one: Scope, other: Scope): boolean =>
  JSON.stringify(toStoredScope(one)) === JSON.stringify(toStoredScope(other));

export const narrowTo = (scope: Scope, dimensions: Dimensions = {}): Scope =>
  scope && toStoredScope(Object.fromEntries(listNamed(scope).filter(([name]) => Object.hasOwn(dimensions, name))));

export const outsideScope = (): Problem =>
  explain("forbidden", "该记录超出您的数据范围", "the record is outside your data scope");

/** These characters separate the levels of a path; exported workbooks use all of them. */
const below = "/\\-";

const isBelow = (path: string, top: string): boolean =>
  path === top || (path.startsWith(top) && below.includes(path.charAt(top.length)));

export const toLikePatterns = (paths: readonly string[]): string[] =>
  paths.map((path) => `%${path.replace(/[\\%_]/g, String.raw`\$&`)}%`);

/**
 * Returns PostgreSQL regular expressions for a list of comma-separated paths; each matches if the list contains the
 * given path or a path below it.
 */
export const toPathPatterns = (paths: readonly string[]): string[] =>
  paths.map((path) => `(^|[,，]) *${path.replace(/[^\p{L}\p{N}]/gu, String.raw`\$&`)} *($|[,，/\\-])`);

export const isWithinScope = (inner: Scope, outer: Scope, dimensions: Dimensions): boolean =>
  listNamed(outer).every(([name, own]) =>
    inner?.[name]?.every((value) =>
      dimensions[name]?.isPath ? own.some((top) => isBelow(value, top)) : own.includes(value),
    ),
  );
