const uploads = /\/(?:(?:reporting|disease-command)\/file|platform\/institution\/picture)\/[\w%.-]+$/;

/**
 * The path, below the platform's prefix, of an upload that a record names; undefined for whatever else stands there.
 * Submitters write what they like, and a browser reads `//host`, `/\host` and the like as another host: so it is asked
 * which host it would go to.
 * @param origins those under which this platform is reached; the first is where relative texts lead
 */
export function toUploadPath(reference: string, origins: readonly [string, ...string[]]): string | undefined {
  if (!URL.canParse(reference, origins[0])) return undefined;
  const { origin, pathname } = new URL(reference, origins[0]);
  return origins.includes(origin) ? uploads.exec(pathname)?.[0] : undefined;
}
