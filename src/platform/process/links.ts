import type { Settings } from "#platform/process/config.ts";

type LinkSettings = Pick<Settings, "PUBLIC_URL" | "BASE_PATH">;

export function toLink({ PUBLIC_URL = "", BASE_PATH }: LinkSettings, path: string): string {
  // BASE_PATH is not added a second time if PUBLIC_URL already includes it by mistake.
  const prefix = BASE_PATH !== "" && PUBLIC_URL.endsWith(BASE_PATH) ? "" : BASE_PATH;
  return PUBLIC_URL + prefix + path;
}
