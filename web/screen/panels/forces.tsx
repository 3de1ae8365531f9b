import { Counting } from "#screen/blocks/counting.tsx";
import { Panel, Value } from "#screen/blocks/panel.tsx";
import type { Overview } from "#screen/feed/use-feed.ts";
import { formatCount } from "#screen/format.ts";
import { sum, toDetectionFigures } from "#screen/panels/detection-figures.ts";
import { useTexts } from "#screen/texts.ts";

export function Forces({ overview }: { readonly overview: Overview }) {
  const t = useTexts();
  const { teamCount, peopleCount } = overview.emergencyTeam;
  const clinics = overview.feverClinicOfHospitalStatistics;
  const { tested } = toDetectionFigures(overview.detectionStatistics, "");
  return (
    <Panel area="forces" title={t.figures.title} data={overview.emergencyTeam}>
      <dl className="s-values s-values-large">
        <Value label={t.figures.teams}>
          <Counting value={teamCount} format={formatCount} most={7} />
        </Value>
        <Value label={t.figures.people}>
          <Counting value={peopleCount} format={formatCount} most={7} />
        </Value>
        <Value label={t.figures.fever}>
          <Counting
            value={sum(clinics.map(({ feverClinicCount }) => feverClinicCount))}
            format={formatCount}
            most={7}
          />
        </Value>
        <Value label={t.figures.tested}>
          <Counting value={tested} format={formatCount} most={7} />
        </Value>
      </dl>
    </Panel>
  );
}
