import * as z from "zod";
import { provingWays } from "./proven-contract.ts";

// Messages about settings never repeat a secret.

export class SettingsError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

export const between = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(error).refine((n) => Number.isInteger(n) && n >= least && n <= most, { error });
};

export const wholeNumber = (least: number, most: number, fallback: number) => between(least, most).default(fallback);

export const keepDays = (least = 1) => between(least, 36_500).optional();

export const seconds = (least: number, most: number, fallback: number) => {
  const error = `must be a number from ${least} to ${most}`;
  return z.coerce.number(error).min(least, { error }).max(most, { error }).default(fallback);
};

export const provingWay = () => z.enum(provingWays, { error: `must be one of ${provingWays.join(", ")}` });
export const provingSecret = () =>
  z.string().min(leastSecretLength, { error: `must have at least ${leastSecretLength} characters` });

export function reviewProof(
  name: string,
  { way, secret, campusKey }: { way: string | undefined; secret: string | undefined; campusKey: string | undefined },
  context: z.RefinementCtx,
): void {
  const report = (needed: string, of: string) =>
    context.addIssue({ code: "custom", path: [needed], message: `is required with ${name}=${of}`, input: undefined });
  if (way === "signed" && !secret) report(`${name}_SECRET`, "signed");
  if (way === "campus" && !campusKey) report("CAMPUS_APP_KEY", "campus");
}

const leastSecretLength = 16;

export const oneOf = <const T extends readonly string[]>(values: T, fallback: T[number]) =>
  z.enum(values, { error: `must be one of ${values.join(", ")}` }).default(fallback as never);

export const splitList = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

export const commaList = z.string().default("").transform(splitList);

export const secret = (description: string) => z.string().optional().meta({ description, secret: true });

/** @param read parses the secret; it throws or returns false if the secret is unusable */
export const secretOf = (read: (text: string) => unknown, what: string, description: string) =>
  secret(description).refine(
    (text) => {
      try {
        return text === undefined || read(text) !== false;
      } catch {
        return false;
      }
    },
    { error: `must be ${what}` },
  );

export const outsideAddress = z.string().refine(
  (address) => {
    const url = URL.parse(address);
    if (url === null || !["http:", "https:"].includes(url.protocol)) return false;
    return url.username === "" && url.password === "" && !/[?#\s]/.test(address);
  },
  { error: "must be an http or https URL without query or credentials" },
);

/** In an environment file, the line feeds of a PEM are written as \n. */
export const unfoldPem = (pem: string): string => pem.replaceAll("\\n", "\n");

/** If one of the settings in `all` is set, all of them are required, and those in `beside` too. */
export interface SettingGroup<Name extends string> {
  readonly all: readonly Name[];
  readonly beside?: readonly Name[];
}

/**
 * Adds an issue for each missing setting of an incomplete group. Without the issue, the group would silently count as
 * unset.
 */
export function requireWholeGroups<Name extends string>(
  settings: Readonly<Partial<Record<Name, unknown>>>,
  groups: readonly SettingGroup<Name>[],
  context: z.RefinementCtx,
): void {
  const isSet = (name: Name): boolean => settings[name] !== undefined && settings[name] !== "";
  const missing = new Map<Name, string>();
  const needs = (name: Name, given: string): void => {
    if (!isSet(name) && !missing.has(name)) missing.set(name, given);
  };
  for (const { all, beside = [] } of groups) {
    const given = all.filter(isSet);
    const [first] = given;
    if (first === undefined) continue;
    for (const name of all) needs(name, given.join(", "));
    for (const name of beside) needs(name, first);
  }
  for (const [name, given] of missing)
    context.addIssue({ code: "custom", path: [name], message: `is required with ${given}`, input: undefined });
}
