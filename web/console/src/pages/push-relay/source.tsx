import "#console/pages/push-relay/push-relay.css";

/** As much of a body as is shown, and as the server keeps of what came back. */
export const mostShown = 16 * 1024;

export function Source({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    // It scrolls, so the keyboard must reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="q-push-source" aria-label={name} role="group" tabIndex={0}>
      {text}
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
