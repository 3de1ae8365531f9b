import * as z from "zod";
import { SettingsError } from "#platform/contract/setting-types.ts";

// The settings of a process are the platform's and those of each service, read together, so that one start tells every
// wrong one of them.

/** Settings by their names, as environment variables have them; a description for people, `secret` in the meta data. */
export type SettingsShape = Readonly<Record<string, z.ZodType>>;

/** Settings that belong together, and what is wrong with several of them at once, for Zod's `superRefine`. */
export interface SettingsPart {
  /** Whose they are; left out: the platform's. */
  readonly service?: string;
  readonly shape: SettingsShape;
  // A method: each part checks its own settings, which are among those of all.
  check?(settings: object, context: z.RefinementCtx): void;
}

export interface SettingDescription {
  readonly service: string;
  readonly key: string;
  readonly description: string;
  readonly secret: boolean;
  readonly standard: string;
  readonly value: string;
}

/** Reads the settings of all parts as one. @throws {Error} for a name that two parts have. */
export function composeSettings<S extends object>(parts: readonly SettingsPart[]) {
  const entries = parts.flatMap(({ shape }) => Object.entries(shape));
  const owners = new Map(parts.flatMap(({ service, shape }) => Object.keys(shape).map((key) => [key, service])));
  const shape = Object.fromEntries(entries);
  const twice = entries.find(([name, schema]) => shape[name] !== schema);
  if (twice) throw new Error(`two parts of the settings are called ${twice[0]}`);
  const schema = z.object(shape).superRefine((settings, context) => {
    for (const part of parts) part.check?.(settings, context);
  });
  /**
   * The settings out of environment variables. An empty variable counts as not set.
   * @throws {SettingsError} naming each wrong key and what it may be.
   */
  const read = (environment: Readonly<Record<string, string | undefined>>): S => {
    const given = Object.keys(shape)
      .map((key) => [key, environment[key]] as const)
      .filter(([, value]) => value !== undefined && value !== "");
    const { success, data, error } = schema.safeParse(Object.fromEntries(given));
    if (success) return data as S;
    throw new SettingsError(error.issues.map((issue) => `${issue.path.join(".") || "settings"}: ${issue.message}`));
  };
  /** Every setting with its description, standard value and present value; a secret only as set or not set. */
  const describe = (settings: S): SettingDescription[] => {
    const standard = read({});
    return Object.entries(shape).map(([key, schema]) => {
      const { description = "", secret } = z.globalRegistry.get(schema) ?? {};
      const show = (of: object): string => {
        const value = (of as Record<string, unknown>)[key];
        if (secret === true) return value === undefined ? "not set" : "set";
        return Array.isArray(value) ? value.join(",") : `${(value ?? "") as string | number}`;
      };
      const service = owners.get(key) ?? "platform";
      return { service, key, description, secret: secret === true, standard: show(standard), value: show(settings) };
    });
  };
  return { read, describe };
}
