import { FundProjectionScreenOutlined } from "@ant-design/icons";
import { Button, Skeleton } from "antd";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import { StatCard } from "#console/blocks/stat-card.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useRead } from "#console/call/use-call.ts";
import { openScreen } from "#console/pages/disease-command/theme/open-preview.ts";
import { useTexts } from "#shared/language/language.ts";
import { formatMoney, sumByDay, sumOf } from "#console/pages/disease-command/overview/figures.ts";
import "#console/pages/disease-command/overview/overview.css";
import { OverviewCards } from "#console/pages/disease-command/overview/overview-cards.tsx";
import { texts } from "#console/pages/disease-command/overview/texts.ts";
import { type Following, type Overview, useChanges } from "#console/pages/disease-command/overview/use-changes.ts";

/** What the big screen shows, as it changes. */
export function OverviewPage() {
  const t = useTexts(texts);
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

/** Whether what is shown is what is so. */
function Live({ live, lost }: Following) {
  const t = useTexts(texts);
  if (live) return <Status tone="success">{t.live}</Status>;
  return <Status tone={lost ? "warning" : "default"}>{lost ? t.notLive : t.connecting}</Status>;
}

const at = (page: string): string => `/disease-command/${page}`;

function Figures({ overview }: { readonly overview: Overview }) {
  const t = useTexts(texts);
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
