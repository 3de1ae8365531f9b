/**
 * Returns a panorama's address if it is http, https or a path on this host. Returns undefined for any other address,
 * such as a `javascript:` one, which would run in this page.
 */
export function toVrAddress(urlOfVr: string, base: string): string | undefined {
  const text = urlOfVr.trim();
  if (/^\/(?![/\\])/.test(text)) return text.startsWith(`${base}/`) ? text : base + text;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href;
}
