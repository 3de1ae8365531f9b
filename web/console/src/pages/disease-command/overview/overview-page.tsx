import { FundProjectionScreenOutlined } from "@ant-design/icons";
import { Button, Skeleton } from "antd";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { formatInstant } from "#shared/instant.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import { StatCard } from "#console/blocks/stat-card.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useRead } from "#console/call/use-call.ts";
import { openScreen } from "#console/pages/disease-command/theme/open-preview.ts";
import {
  type Following,
  formatMoney,
  type ModuleName,
  type Overview,
  sumByDay,
  sumOf,
  useChanges,
} from "#console/pages/disease-command/overview/use-changes.ts";
import { useOverviewTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { type ReactNode, useMemo } from "react";
import { Link } from "react-router";
import { Sparkline } from "#console/blocks/sparkline.tsx";
import { parsePosition } from "#shared/map/coordinates.ts";
import { DiseaseMap } from "#console/pages/disease-command/map/disease-map.tsx";
import { Images } from "#console/blocks/images/images.tsx";
import { Ranking } from "#console/pages/disease-command/records/ranking.tsx";
import "#console/pages/disease-command/overview/overview.css";
import "#console/pages/disease-command/records/page.css";

export function OverviewPage() {
  const t = useTexts();
  const following = useChanges();
  const { data, error, refetch } = useRead(diseaseCommand.readOverview, {}, { keep: true });
  return (
    <>
      <PageHead title={t.title} about={t.about}>
        <span className="q-disease-live">
          <Live {...following} />
          <Button icon={<FundProjectionScreenOutlined />} onClick={() => openScreen()}>
            {t.preview}
          </Button>
        </span>
      </PageHead>
      {error && !data && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active paragraph={{ rows: 12 }} />}
      {data && <Figures overview={data} />}
      {data && <OverviewCards overview={data} changed={following.changed} />}
    </>
  );
}

function Live({ live, lost }: Following) {
  const t = useTexts();
  if (live) return <Status tone="success">{t.live}</Status>;
  return <Status tone={lost ? "warning" : "default"}>{lost ? t.notLive : t.connecting}</Status>;
}

const at = (page: string): string => `/disease-command/${page}`;

function Figures({ overview }: { readonly overview: Overview }) {
  const t = useTexts();
  const { statistics } = overview.broadcast;
  const clinics = overview.feverClinicOfHospitalStatistics;
  const lastDay = sumByDay(overview.detectionStatistics).at(-1);
  return (
    <div className="q-stats q-disease-figures">
      <StatCard
        label={t.fever}
        value={formatCount(sumOf(clinics, (row) => row.feverClinicCount))}
        unit={t.persons}
        about={t.epidemic(formatCount(sumOf(clinics, (row) => row.epidemicCount)))}
        to={at("fever-clinics")}
      />
      <StatCard
        label={t.tested}
        value={formatCount(lastDay?.tested ?? 0)}
        unit={t.persons}
        about={t.abnormal(formatCount(lastDay?.abnormal ?? 0))}
        to={at("detection")}
      />
      <StatCard
        label={t.teams}
        value={formatCount(overview.emergencyTeam.teamCount)}
        unit={t.teamUnit}
        about={t.people(formatCount(overview.emergencyTeam.peopleCount))}
        to={at("teams")}
      />
      <StatCard
        label={t.devices}
        value={formatCount(statistics.numOfDevice)}
        unit={t.deviceUnit}
        about={t.online(formatMoney(statistics.rateOfInline * 100))}
        to={at("broadcasts")}
      />
      <StatCard
        label={t.broadcasts}
        value={formatCount(statistics.numOfBroadcasts)}
        unit={t.broadcastUnit}
        about={t.hours(formatCount(statistics.broadcastDuration))}
        to={at("broadcasts")}
      />
      <StatCard
        label={t.consumption}
        value={formatMoney(sumOf(overview.consumptionCategoryStatistics, ({ value }) => value))}
        unit={t.consumptionUnit}
        to={at("consumption")}
      />
      <StatCard label={t.toilets} value={formatCount(overview.toilet.length)} unit={t.toiletUnit} to={at("toilets")} />
      <StatCard
        label={t.theme}
        value={<span className="q-disease-theme-name">{overview.theme?.themeName ?? t.noTheme}</span>}
        to={at("themes")}
      />
    </div>
  );
}

function OverviewCards({ overview, changed }: { readonly overview: Overview; readonly changed: Following["changed"] }) {
  const t = useTexts();
  const card = (module: ModuleName, page: string, isEmpty: boolean, content: ReactNode) => (
    <ModuleCard module={module} page={page} changedAt={changed[module]}>
      {isEmpty ? <p className="q-soft">{t.nothing}</p> : content}
    </ModuleCard>
  );
  const clinics = overview.feverClinicOfHospitalStatistics;
  const spots = overview.scenicSpotOverview;
  return (
    <div className="q-disease-modules">
      {card(
        "feverClinicOfHospitalStatistics",
        "fever-clinics",
        clinics.length === 0,
        <Ranking
          title={t.modules.feverClinicOfHospitalStatistics}
          format={(count) => `${formatCount(count)} ${t.persons}`}
          rows={clinics.slice(0, 6).map((row) => ({ id: row.id, name: row.hospitalName, value: row.feverClinicCount }))}
        />,
      )}
      {card(
        "detectionStatistics",
        "detection",
        overview.detectionStatistics.length === 0,
        <Detection rows={overview.detectionStatistics} />,
      )}
      {card(
        "consumptionCategoryStatistics",
        "consumption",
        false,
        <Ranking
          title={t.modules.consumptionCategoryStatistics}
          rows={overview.consumptionCategoryStatistics.map(({ id, categoryName, value }) => ({
            id,
            name: categoryName,
            value,
          }))}
          format={formatMoney}
        />,
      )}
      {card(
        "broadcast",
        "broadcasts",
        overview.broadcast.records.length === 0,
        <Lines
          rows={overview.broadcast.records.slice(0, 5)}
          to={(id) => `/disease-command/broadcasts?open=${id}`}
          when={({ playTime }) => playTime?.slice(0, 16) ?? ""}
        />,
      )}
      {card(
        "eventPlanning",
        "plans",
        overview.eventPlanning.length === 0,
        <Lines
          rows={overview.eventPlanning.slice(0, 5)}
          to={(id) => `/disease-command/plans?open=${id}`}
          when={({ startTime }) => startTime.slice(0, 16)}
        />,
      )}
      {card(
        "eventPlanningMonthSummary",
        "month-summaries",
        overview.eventPlanningMonthSummary.length === 0,
        <Lines
          rows={overview.eventPlanningMonthSummary.slice(0, 5)}
          to={(id) => `/disease-command/month-summaries?open=${id}`}
          when={({ month }) => month}
        />,
      )}
      {card("toilet", "toilets", overview.toilet.length === 0, <Toilets rows={overview.toilet} />)}
      {card(
        "scenicSpotOverview",
        "scenic-spots",
        spots.length === 0,
        <ul className="q-disease-spots">
          {spots.slice(0, 8).map(({ id, scenicSpotName, image }) => (
            <li key={id}>
              <Images names={image} />
              <Link to={`/disease-command/scenic-spots?open=${id}`}>{scenicSpotName}</Link>
            </li>
          ))}
        </ul>,
      )}
    </div>
  );
}

interface ModuleCardProps {
  readonly module: ModuleName;
  readonly page: string;
  readonly changedAt: number | undefined;
  readonly children: ReactNode;
}

function ModuleCard({ module, page, changedAt, children }: ModuleCardProps) {
  const t = useTexts();
  const title = t.modules[module];
  return (
    <section className="q-card q-disease-module" aria-label={title} data-changed={changedAt}>
      {/* A new key restarts the animation. */}
      {changedAt !== undefined && <span key={changedAt} className="q-disease-flash" aria-hidden />}
      <div className="q-disease-head">
        <h2>{title}</h2>
        <span role="status" className="q-soft">
          {changedAt !== undefined && t.updatedAt(formatInstant(changedAt).slice(11))}
        </span>
        <Link className="q-disease-head-end" to={`/disease-command/${page}`} aria-label={t.manageNamed(title)}>
          {t.manage}
        </Link>
      </div>
      {children}
    </section>
  );
}

interface LinesProps<R> {
  readonly rows: readonly R[];
  readonly to: (id: number) => string;
  readonly when: (row: R) => string;
}

function Lines<R extends { readonly id: number; readonly title: string }>({ rows, to, when }: LinesProps<R>) {
  return (
    <ul className="q-disease-lines">
      {rows.map((row) => (
        <li key={row.id}>
          <Link to={to(row.id)} title={row.title}>
            {row.title}
          </Link>
          <time className="q-soft q-figures">{when(row)}</time>
        </li>
      ))}
    </ul>
  );
}

function Detection({ rows }: { readonly rows: Overview["detectionStatistics"] }) {
  const t = useTexts();
  const days = sumByDay(rows);
  const last = days.at(-1);
  return (
    <>
      <Sparkline values={days.map(({ tested }) => tested)} label={t.trend} width={320} height={72} />
      <p className="q-soft">
        {t.trend}
        <br />
        {last && t.testedOn(last.day, formatCount(last.tested), formatCount(last.abnormal))}
      </p>
    </>
  );
}

function Toilets({ rows }: { readonly rows: Overview["toilet"] }) {
  const t = useTexts();
  const marks = useMemo(
    () =>
      rows.flatMap(({ id, name, longitudeAndLatitude }) => {
        const at = parsePosition(longitudeAndLatitude);
        return at ? [{ id, at, label: name, kind: "toilet" as const }] : [];
      }),
    [rows],
  );
  return <DiseaseMap label={t.modules.toilet} size="part" marks={marks} />;
}
