import { memo, type ReactNode, useLayoutEffect } from "react";
import { useMonth, useNow } from "#screen/clock.ts";
import { type FeedState, type Overview, useFeed } from "#screen/feed/use-feed.ts";
import { Broadcast } from "#screen/panels/broadcast.tsx";
import { City } from "#screen/panels/city.tsx";
import { Clinics } from "#screen/panels/clinics.tsx";
import { Consumption } from "#screen/panels/consumption.tsx";
import { Detection } from "#screen/panels/detection.tsx";
import { Forces } from "#screen/panels/forces.tsx";
import { Plans } from "#screen/panels/plans.tsx";
import { type Preview, usePreview } from "#screen/preview.ts";
import { useTexts } from "#screen/texts.ts";
import { useInstitution } from "#shared/institution.ts";
import { toPalette } from "#shared/theme/screen-palette.ts";
import { formatDay } from "#screen/format.ts";
import { formatInstant } from "#shared/instant.ts";
import { isStill } from "#screen/motion.ts";

export function Screen() {
  const feed = useFeed(useMonth());
  const preview = usePreview();
  const themeName = preview.theme?.themeName ?? feed.overview?.theme?.themeName;
  return (
    <Wall themeName={themeName}>
      <Head themeName={themeName} preview={preview} feed={feed} />
      <main>
        {feed.overview ? (
          <Panels overview={feed.overview} mapTurn={feed.mapTurn} />
        ) : (
          <Before feed={feed} onRetry={feed.retry} />
        )}
      </main>
    </Wall>
  );
}

const standardHue = 214;

function Wall({ themeName, children }: { readonly themeName: string | undefined; readonly children: ReactNode }) {
  const { hue, isLight } = themeName === undefined ? { hue: standardHue, isLight: false } : toPalette(themeName);
  useLayoutEffect(() => {
    const { style, classList } = document.documentElement;
    style.setProperty("--s-hue", String(hue));
    classList.toggle("s-bright", isLight);
  }, [hue, isLight]);
  return (
    <div className="s-wall" data-ready="">
      {children}
    </div>
  );
}

const panels = {
  Broadcast: memo(Broadcast),
  Clinics: memo(Clinics),
  City: memo(City),
  Plans: memo(Plans),
  Detection: memo(Detection),
  Consumption: memo(Consumption),
};

function Panels({ overview, mapTurn }: { readonly overview: Overview; readonly mapTurn: number }) {
  return (
    <div className="s-panels">
      <panels.Broadcast broadcast={overview.broadcast} />
      <panels.Clinics rows={overview.feverClinicOfHospitalStatistics} />
      <Forces overview={overview} />
      <panels.City spots={overview.scenicSpotOverview} toilets={overview.toilet} mapTurn={mapTurn} />
      <panels.Plans plans={overview.eventPlanning} summaries={overview.eventPlanningMonthSummary} />
      <panels.Detection rows={overview.detectionStatistics} />
      <panels.Consumption rows={overview.consumptionCategoryStatistics} />
    </div>
  );
}

function Before({ feed, onRetry }: { readonly feed: FeedState; readonly onRetry: () => void }) {
  const t = useTexts();
  if (feed.line !== "cut") return <p className="s-before">{t.waiting}</p>;
  return (
    <div className="s-before" role="alert">
      <p>{t.failed}</p>
      <button type="button" className="s-button" onClick={onRetry}>
        {t.retry}
      </button>
    </div>
  );
}

interface HeadProps {
  readonly themeName: string | undefined;
  readonly preview: Preview;
  readonly feed: FeedState;
}

function Head({ themeName, preview, feed }: HeadProps) {
  const t = useTexts();
  const { name } = useInstitution();
  return (
    <header className="s-head">
      <p className="s-duty">
        {t.duty} <strong>{themeName ?? t.noDuty}</strong>
      </p>
      <h1>
        {name !== "" && <span className="s-institution">{name}</span>}
        {t.title}
      </h1>
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

function Line({ line, untilMs }: FeedState) {
  const t = useTexts();
  return (
    <p role="status" className={`s-line-state s-line-${line}`}>
      {line === "cut" && untilMs !== undefined ? <Since untilMs={untilMs} /> : t[line]}
    </p>
  );
}

function Since({ untilMs }: { readonly untilMs: number }) {
  const t = useTexts();
  const seconds = Math.max(0, Math.round((useNow(10_000) - untilMs) / 1000));
  const age =
    seconds < 60
      ? t.seconds(seconds)
      : seconds < 3600
        ? t.minutes(Math.floor(seconds / 60))
        : t.hours(Math.floor(seconds / 3600));
  return t.cutSince(formatInstant(untilMs).slice(5, 19), age);
}
