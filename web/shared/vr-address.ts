/**
 * Where a panorama may be opened: an address of http or https, or a path of this host. Anything else, `javascript:`
 * among it, would run here, and is undefined.
 */
export function toVrAddress(urlOfVr: string, base: string): string | undefined {
  const text = urlOfVr.trim();
  if (/^\/(?![/\\])/.test(text)) return text.startsWith(`${base}/`) ? text : base + text;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href;
}
