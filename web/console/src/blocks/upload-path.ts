const uploads = /\/(?:(?:reporting|disease-command)\/file|platform\/institution\/picture)\/[\w%.-]+$/;

/**
 * Returns undefined for a reference that is not an upload of this platform. Submitters control the text, and browsers
 * read `//host`, `/\host` and the like as another host, so the URL parser decides the origin. @param origins the
 * platform's own; relative references resolve against the first
 */
export function toUploadPath(reference: string, origins: readonly [string, ...string[]]): string | undefined {
  if (!URL.canParse(reference, origins[0])) return undefined;
  const { origin, pathname } = new URL(reference, origins[0]);
  return origins.includes(origin) ? uploads.exec(pathname)?.[0] : undefined;
}
