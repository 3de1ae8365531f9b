import * as z from "zod";
import type { Bilingual } from "#platform/contract/language.ts";
import { explain, type Problem } from "#platform/contract/problem.ts";
import { requiredText } from "#platform/contract/wire.ts";

// An account can be restricted to a scope: for each dimension it names, a record must have one of the values.

/** Values by dimension; null means everything. */
export type Scope = Readonly<Record<string, readonly string[] | undefined>> | null;

export interface Dimension {
  readonly label: Bilingual;
  /** Values are comma-separated paths, and a value includes everything below it. */
  readonly isPath?: true;
}

/** Dimensions of a service by name, unique across services. */
export type Dimensions = Readonly<Record<string, Dimension>>;

/** The SQL expression of each dimension in a table. */
export type Places = Readonly<Record<string, string>>;

const values = z.array(requiredText()).min(1).max(1000);

/** A record, because an object would ignore unknown fields and thus show everything. */
export const scopeField = (dimensions: readonly string[]) =>
  z
    .partialRecord(z.enum(dimensions), values)
    .nullable()
    .describe("Of each dimension the values whose records are shown and changed; null: everything. An addition");

/** The named dimensions with their values, sorted. */
export const listNamed = (scope: Scope): [name: string, values: readonly string[]][] =>
  Object.entries(scope ?? {})
    .flatMap(([name, texts]): [string, readonly string[]][] => (texts ? [[name, texts]] : []))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

/** Normalised for storage. */
export function toStoredScope(given: Scope): Scope {
  const named = listNamed(given).map(([name, texts]) => [name, [...new Set(texts)].toSorted()] as const);
  return named.length === 0 ? null : Object.fromEntries(named);
}

export const areSameScopes = (one: Scope, other: Scope): boolean =>
  JSON.stringify(toStoredScope(one)) === JSON.stringify(toStoredScope(other));

/** The part of a scope that concerns a service with these dimensions; null for everything. */
export const narrowTo = (scope: Scope, dimensions: Dimensions = {}): Scope =>
  scope && toStoredScope(Object.fromEntries(listNamed(scope).filter(([name]) => Object.hasOwn(dimensions, name))));

export const outsideScope = (): Problem => explain("forbidden", "超出您的数据范围", "this is outside your data scope");

/** Separators of path parts, as in exported workbooks. */
const below = "/\\-";

/** Whether a path equals or is below another, consistent with `toPathPatterns`. */
const isBelow = (path: string, top: string): boolean =>
  path === top || (path.startsWith(top) && below.includes(path.charAt(top.length)));

/** Patterns of `like` for texts in which one of the paths stands anywhere. */
export const toLikePatterns = (paths: readonly string[]): string[] =>
  paths.map((path) => `%${path.replace(/[\\%_]/g, String.raw`\$&`)}%`);

/** Regular expressions of PostgreSQL for texts in which one of the paths, or one below it, stands. */
export const toPathPatterns = (paths: readonly string[]): string[] =>
  paths.map((path) => `(^|[,，]) *${path.replace(/[^\p{L}\p{N}]/gu, String.raw`\$&`)} *($|[,，/\\-])`);

/** Whether a scope is contained in another; nobody grants more than their own. */
export const isWithinScope = (inner: Scope, outer: Scope, dimensions: Dimensions): boolean =>
  listNamed(outer).every(([name, own]) =>
    inner?.[name]?.every((value) =>
      dimensions[name]?.isPath ? own.some((top) => isBelow(value, top)) : own.includes(value),
    ),
  );
