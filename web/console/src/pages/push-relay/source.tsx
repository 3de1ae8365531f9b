import { Fragment } from "react";
import "#console/pages/push-relay/push-relay.css";

/** The maximum number of characters shown. */
export const mostShown = 16 * 1024;

interface SourceProps {
  readonly name: string;
  readonly text: string;
  readonly beside?: string | undefined;
}

export function Source({ name, text, beside }: SourceProps) {
  const known = beside?.split("\n");
  return (
    // A scroll container must be focusable for keyboard users.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="q-push-source" aria-label={name} role="group" tabIndex={0}>
      {known
        ? text.split("\n").map((line, index) => (
            // A text is only ever replaced completely, so the index can be the key.
            // oxlint-disable-next-line react/no-array-index-key
            <Fragment key={index}>
              {known.includes(line) ? line : <mark>{line}</mark>}
              {"\n"}
            </Fragment>
          ))
        : text}
    </pre>
  );
}

export function toShown(body: string): string {
  const shown = body.slice(0, mostShown);
  try {
    return shown === body ? JSON.stringify(JSON.parse(body), null, 2) : shown;
  } catch {
    return shown;
  }
}

export const toLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
