import { formatDuration } from "#console/pages/push-relay/duration.ts";
import type { RelayTexts } from "#console/pages/push-relay/texts.ts";

const named: Readonly<Record<string, keyof RelayTexts["errors"]>> = {
  "the address is not allowed": "refusedAddress",
  "no connection in time": "connectTimeout",
  "the connection was closed without an answer": "closed",
  "the answer's head is too large": "tooLarge",
  "the answer is not HTTP": "notHttp",
  "no usable answer": "unusable",
  "no connection, ECONNREFUSED": "refused",
  "no connection, ENOTFOUND": "unknownName",
  "no connection, ECONNRESET": "reset",
};

/** What the relay wrote down about a failed push, in words of the page; what it does not know stays as it is. */
export function describeError(error: string, t: RelayTexts): string {
  const { errors } = t;
  const name = named[error];
  const text = name && errors[name];
  if (typeof text === "string") return text;
  const [, code, redirected] = /^HTTP (\d+)(:.*)?$/.exec(error) ?? [];
  if (code !== undefined) return redirected ? errors.redirect(code) : errors.http(code);
  const [, ms] = /^no answer within (\d+) ms$/.exec(error) ?? [];
  if (ms !== undefined) return errors.noAnswer(formatDuration(Number(ms), t));
  const [, fault] = /^no connection, (\w+)$/.exec(error) ?? [];
  return fault === undefined ? error : errors.noConnection(fault);
}
