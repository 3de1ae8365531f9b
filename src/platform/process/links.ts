import type { Settings } from "#platform/process/config.ts";

type LinkSettings = Pick<Settings, "PUBLIC_URL" | "BASE_PATH">;

export function toLink({ PUBLIC_URL = "", BASE_PATH }: LinkSettings, path: string): string {
  // BASE_PATH is not added if PUBLIC_URL already ends with it, which is a common mistake.
  const prefix = BASE_PATH !== "" && PUBLIC_URL.endsWith(BASE_PATH) ? "" : BASE_PATH;
  return PUBLIC_URL + prefix + path;
}
