import { useNow } from "#screen/clock.ts";
import type { FeedState } from "#screen/feed/use-feed.ts";
import { formatDay, formatInstant } from "#screen/format.ts";
import { isStill } from "#screen/motion.ts";
import type { Preview } from "#screen/preview.ts";
import { texts } from "#screen/texts.ts";
import { useTexts } from "#shared/language/language.ts";

interface HeadProps {
  readonly themeName: string | undefined;
  readonly preview: Preview;
  readonly feed: FeedState;
}

/** What the wall is, who is on duty, what time it is, and whether what it shows is so. */
export function Head({ themeName, preview, feed }: HeadProps) {
  const t = useTexts(texts);
  return (
    <header className="s-head">
      <p className="s-duty">
        {t.duty} <strong>{themeName ?? t.noDuty}</strong>
      </p>
      <h1>{t.title}</h1>
      <div className="s-head-end">
        <Clock />
        <Line {...feed} />
      </div>
      {preview.asked && (
        <p className="s-preview" role="status">
          {preview.theme ? t.preview(preview.theme.themeName) : preview.failed ? t.previewFailed : t.waiting}
          {preview.failed && (
            <button type="button" className="s-button" onClick={preview.retry}>
              {t.retry}
            </button>
          )}
        </p>
      )}
    </header>
  );
}

function Clock() {
  const now = useNow(isStill ? 60_000 : 1000);
  return (
    <p className="s-clock">
      <span>{formatDay(now)}</span> <time>{formatInstant(now).slice(11, isStill ? 16 : 19)}</time>
    </p>
  );
}

/** How the line is: in words and a colour, and for a cut one the age of what is shown. */
function Line({ line, untilMs }: FeedState) {
  const t = useTexts(texts);
  return (
    <p role="status" className={`s-line-state s-line-${line}`}>
      {line === "cut" && untilMs !== undefined ? <Since untilMs={untilMs} /> : t[line]}
    </p>
  );
}

function Since({ untilMs }: { readonly untilMs: number }) {
  const t = useTexts(texts);
  const seconds = Math.max(0, Math.round((useNow(10_000) - untilMs) / 1000));
  const age =
    seconds < 60
      ? t.seconds(seconds)
      : seconds < 3600
        ? t.minutes(Math.floor(seconds / 60))
        : t.hours(Math.floor(seconds / 3600));
  return t.cutSince(formatInstant(untilMs).slice(5, 19), age);
}
