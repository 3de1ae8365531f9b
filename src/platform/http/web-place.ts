import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Settings } from "#platform/process/config.ts";

export type PlaceSettings = Pick<
  Settings,
  | "BASE_PATH"
  | "FILES_ENDPOINT"
  | "FILES_REDIRECT"
  | "MAP_TILES"
  | "PUBLIC_URL"
  | "TIME_ZONE"
  | "MAX_UPLOAD_MB"
  | "MAX_WORKBOOK_MB"
>;

/**
 * What a page cannot know by itself, as JSON: where it is, what is served here, the limits that a form names, and what
 * its service tells it. Everybody may read it.
 */
export const describePlace = (
  contracts: readonly ServiceContract[],
  settings: PlaceSettings,
  page: string,
  told?: object,
): string =>
  JSON.stringify({
    base: settings.BASE_PATH,
    page,
    publicUrl: settings.PUBLIC_URL ?? "",
    services: contracts.map(({ name }) => name).filter((name) => name !== "platform"),
    timeZone: settings.TIME_ZONE,
    maxUploadMb: settings.MAX_UPLOAD_MB,
    maxWorkbookMb: settings.MAX_WORKBOOK_MB,
    ...(told && { told }),
  });
