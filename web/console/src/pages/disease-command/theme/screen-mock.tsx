import type { CSSProperties, ReactNode } from "react";
import { formatCount } from "#console/blocks/format.ts";
import { Sparkline } from "#console/blocks/sparkline.tsx";
import { useTexts } from "#shared/language/language.ts";
import { parsePlace } from "#console/pages/disease-command/map/coordinates.ts";
import { formatMoney, sumByDay, sumOf } from "#console/pages/disease-command/overview/figures.ts";
import { texts } from "#console/pages/disease-command/overview/texts.ts";
import type { Overview } from "#console/pages/disease-command/overview/use-changes.ts";
import { toPalette } from "#console/pages/disease-command/theme/palette.ts";
import "#console/pages/disease-command/theme/screen-mock.css";

interface ScreenMockProps {
  readonly themeName: string;
  readonly overview: Overview | undefined;
  /** What it shows, for those who cannot see it. */
  readonly label: string;
}

/** The big screen as it would look in a theme, with what it shows now; of whatever size its place has. */
export function ScreenMock({ themeName, overview, label }: ScreenMockProps) {
  const t = useTexts(texts);
  const { hue, isLight } = toPalette(themeName);
  const style = { "--q-hue": hue } as CSSProperties;
  return (
    <div className={`q-screen ${isLight ? "q-screen-light" : ""}`} style={style} role="img" aria-label={label}>
      <div className="q-screen-sheet">
        <div className="q-screen-title">{t.screen}</div>
        {overview ? <Blocks overview={overview} /> : null}
      </div>
    </div>
  );
}

function Blocks({ overview }: { readonly overview: Overview }) {
  const t = useTexts(texts);
  const { statistics, records } = overview.broadcast;
  const days = sumByDay(overview.detectionStatistics);
  const clinics = overview.feverClinicOfHospitalStatistics;
  const categories = overview.consumptionCategoryStatistics;
  return (
    <div className="q-screen-columns">
      <div>
        <Block title={t.modules.feverClinicOfHospitalStatistics}>
          <Bars rows={clinics.slice(0, 6).map((row) => [row.id, row.hospitalName, row.feverClinicCount])} />
        </Block>
        <Block title={t.modules.detectionStatistics}>
          <Sparkline values={days.map(({ tested }) => tested)} label={t.trend} width={200} height={48} />
        </Block>
      </div>
      <div>
        <div className="q-screen-figures">
          <Figure label={t.fever} value={formatCount(sumOf(clinics, (row) => row.feverClinicCount))} />
          <Figure label={t.tested} value={formatCount(days.at(-1)?.tested ?? 0)} />
          <Figure label={t.teams} value={formatCount(overview.emergencyTeam.teamCount)} />
        </div>
        <Block title={t.map}>
          <Dots toilets={overview.toilet} />
        </Block>
      </div>
      <div>
        <Block title={t.modules.consumptionCategoryStatistics}>
          <Bars rows={categories.map((row) => [row.id, row.categoryName, row.value])} format={formatMoney} />
        </Block>
        <Block title={t.modules.broadcast}>
          <p>
            {t.devices} {formatCount(statistics.numOfDevice)} · {t.broadcasts} {formatCount(statistics.numOfBroadcasts)}
          </p>
          {records.slice(0, 2).map(({ id, title }) => (
            <p key={id}>{title}</p>
          ))}
        </Block>
        <Block title={t.modules.eventPlanning}>
          {overview.eventPlanning.slice(0, 3).map(({ id, title, startTime }) => (
            <p key={id}>
              {startTime.slice(5, 10)} {title}
            </p>
          ))}
        </Block>
      </div>
    </div>
  );
}

function Block({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="q-screen-block">
      <div className="q-screen-block-title">{title}</div>
      {children}
    </section>
  );
}

const Figure = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <div>
    <strong>{value}</strong>
    <span>{label}</span>
  </div>
);

interface BarsProps {
  readonly rows: readonly (readonly [id: number, name: string, value: number])[];
  readonly format?: (value: number) => string;
}

function Bars({ rows, format = formatCount }: BarsProps) {
  const most = Math.max(1, ...rows.map(([, , value]) => value));
  return (
    <>
      {rows.map(([id, name, value]) => (
        <div key={id} className="q-screen-bar">
          <span>{name}</span>
          <i style={{ "--q-share": value / most } as CSSProperties} />
          <span>{format(value)}</span>
        </div>
      ))}
    </>
  );
}

/** Where the toilets are, as dots in a field. */
function Dots({ toilets }: { readonly toilets: Overview["toilet"] }) {
  const places = toilets.flatMap(({ id, longitudeAndLatitude }) => {
    const place = parsePlace(longitudeAndLatitude);
    return place ? [{ id, ...place }] : [];
  });
  const [west, east] = span(places.map(({ longitude }) => longitude));
  const [south, north] = span(places.map(({ latitude }) => latitude));
  return (
    <svg className="q-screen-map" viewBox="0 0 200 150" aria-hidden="true">
      {[30, 60, 90, 120].map((y) => (
        <line key={y} x1="0" x2="200" y1={y} y2={y} />
      ))}
      {[40, 80, 120, 160].map((x) => (
        <line key={x} x1={x} x2={x} y1="0" y2="150" />
      ))}
      {places.map(({ id, longitude, latitude }) => (
        <circle
          key={id}
          r="2.5"
          cx={10 + ((longitude - west) / (east - west)) * 180}
          cy={140 - ((latitude - south) / (north - south)) * 130}
        />
      ))}
    </svg>
  );
}

/** From the least to the most; of one value alone, around it. */
function span(values: readonly number[]): [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return most > least ? [least, most] : [least - 1, least + 1];
}
