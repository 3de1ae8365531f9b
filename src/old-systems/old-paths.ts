import type { Pool } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import type { ServiceModule } from "#platform/process/service.ts";

/**
 * Finds the new address of a file by its path in an old system, since links in letters and pages still use such paths.
 */
export const openOldPaths =
  (pool: Pool, settings: Settings, modules: readonly ServiceModule[]) =>
  async (path: string): Promise<string | undefined> => {
    const found = await pool.first<{ service: string; upload: string }>`
      select service, upload from platform.old_file
      where regexp_replace(address, '^https?://[^/]*', '') = any(${[path, decode(path)]}::text[]) order by service limit 1`;
    const module = modules.find(({ contract }) => contract.name === found?.service);
    return found && module?.toFileReference?.(settings, found.upload);
  };

function decode(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll("\0", "");
  } catch {
    return path;
  }
}
