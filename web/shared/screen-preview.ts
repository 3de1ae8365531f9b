import { place } from "#shared/place.ts";

// The console passes its token to a preview of the big screen by a message between windows of the same origin; in the
// address it would reach the history and every proxy's log.

interface Ask {
  readonly kind: "quintet.preview.ask";
}

interface Answer {
  readonly kind: "quintet.preview.answer";
  readonly token: string;
}

const patienceMs = 3000;

export const screenAddress = (): string => `${place.base}/screen/`;

export const toPreviewAddress = (themeId: number): string => `${screenAddress()}?preview=${themeId}`;

export function readPreviewed(): number | undefined {
  const text = new URLSearchParams(window.location.search).get("preview") ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** @throws {Error} if the opener is of another origin or does not answer within three seconds */
export function askForToken(opener: Window): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error("no answer")), patienceMs);
  const hear = ({ source, origin, data }: MessageEvent<Answer | null>) => {
    if (source === opener && origin === window.location.origin && data?.kind === "quintet.preview.answer")
      resolve(data.token);
  };
  window.addEventListener("message", hear);
  opener.postMessage({ kind: "quintet.preview.ask" } satisfies Ask, window.location.origin);
  return promise.finally(() => {
    clearTimeout(timer);
    window.removeEventListener("message", hear);
  });
}

export function answerPreviews(
  isOurs: (preview: MessageEventSource) => boolean,
  token: () => string | undefined,
): void {
  window.addEventListener("message", ({ source, origin, data }: MessageEvent<Ask | null>) => {
    const given = token();
    if (origin !== window.location.origin || data?.kind !== "quintet.preview.ask" || !source || !isOurs(source)) return;
    if (given === undefined) return;
    const answer = { kind: "quintet.preview.answer", token: given } satisfies Answer;
    source.postMessage(answer, { targetOrigin: window.location.origin });
  });
}
