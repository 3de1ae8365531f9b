import { toStorable } from "#platform/contract/storable-text.ts";
import type { Response } from "#platform/outbound/send.ts";

/** Where a push went, and what came back of it; as it is stored, one for all pushes to which it applies. */
export interface Exchange {
  readonly url: string;
  /** Names and values as a JSON object; null without an answer, as the body then is. */
  readonly headers: string | null;
  readonly body: string | null;
  /** Whether there was more of the body. */
  readonly cut: boolean;
}

/** What stands where a secret was. */
export const masked = "***";

/** The attempt's own time tells it too, and it alone would make each second's answers others. */
const leftOut: ReadonlySet<string> = new Set(["date"]);
/** What lets somebody in. */
const secret: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2", "authorization", "proxy-authorization"]);

export function toExchange(url: string, response: Response | null): Exchange {
  if (!response) return { url, headers: null, body: null, cut: false };
  const kept: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(response.headers))
    if (!leftOut.has(name)) kept[name] = secret.has(name) ? masked : String(value);
  return {
    url,
    headers: maskSignatures(toStorable(JSON.stringify(kept))),
    body: maskSignatures(toStorable(readText(response))),
    cut: response.cut,
  };
}

function readText({ body: [first, ...others], cut }: Response): string {
  if (!first) return "";
  const text = (others.length === 0 ? first : Buffer.concat([first, ...others])).toString();
  // A character that the cut went through.
  return cut ? text.replace(/\u{fffd}$/u, "") : text;
}

// As JSON and forms write it too: some receivers send back what they got.
const signature = /\bv1(?:,|%2C)(?:\w|\+|\\?\/|%2[BF]){43}(?:=|\\u003d|%3D)/gi;

const maskSignatures = (text: string): string => (text === "" ? text : text.replaceAll(signature, `v1,${masked}`));
