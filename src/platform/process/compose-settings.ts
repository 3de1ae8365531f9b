import * as z from "zod";
import { SettingsError } from "#platform/contract/setting-types.ts";

// The settings of the platform and of all services are read together, so that a start reports all errors at once.

export type SettingsShape = Readonly<Record<string, z.ZodType>>;

export interface SettingsPart {
  readonly service?: string;
  readonly shape: SettingsShape;
  // This is a method and not a function-valued property, because TypeScript compares the parameters of methods less
  // strictly, so parts with different settings can be in one list.
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

export function composeSettings<S extends object>(parts: readonly SettingsPart[]) {
  const entries = parts.flatMap(({ shape }) => Object.entries(shape));
  const owners = new Map(parts.flatMap(({ service, shape }) => Object.keys(shape).map((key) => [key, service])));
  const shape = Object.fromEntries(entries);
  const twice = entries.find(([name, schema]) => shape[name] !== schema);
  if (twice) throw new Error(`duplicate setting ${twice[0]}`);
  const schema = z.object(shape).superRefine((settings, context) => {
    for (const part of parts) part.check?.(settings, context);
  });
  /**
   * Reads the settings from environment variables; an empty variable counts as unset.
   * @throws {SettingsError} with every invalid key
   */
  const read = (environment: Readonly<Record<string, string | undefined>>): S => {
    const given = Object.keys(shape)
      .map((key) => [key, environment[key]] as const)
      .filter(([, value]) => value !== undefined && value !== "");
    const { success, data, error } = schema.safeParse(Object.fromEntries(given));
    if (success) return data as S;
    throw new SettingsError(error.issues.map((issue) => `${issue.path.join(".") || "settings"}: ${issue.message}`));
  };
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
