import type { Settings } from "#platform/process/config.ts";

type LinkSettings = Pick<Settings, "PUBLIC_URL" | "BASE_PATH">;

/** The link to a path of the interface: the path itself, or an address where PUBLIC_URL says under which. */
export function toLink({ PUBLIC_URL = "", BASE_PATH }: LinkSettings, path: string): string {
  // Some will give the whole address, prefix and all.
  const prefix = BASE_PATH !== "" && PUBLIC_URL.endsWith(BASE_PATH) ? "" : BASE_PATH;
  return PUBLIC_URL + prefix + path;
}
