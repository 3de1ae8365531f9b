import { useState } from "react";
import { Bars } from "#screen/blocks/bars.tsx";
import { Nothing, Panel } from "#screen/blocks/panel.tsx";
import { ClinicHistory } from "#screen/cards/clinic-history.tsx";
import type { Overview } from "#screen/feed/use-feed.ts";
import { formatCount } from "#screen/format.ts";
import { useTexts } from "#screen/texts.ts";

const shown = 6;

export function Clinics({ rows }: { readonly rows: Overview["feverClinicOfHospitalStatistics"] }) {
  const t = useTexts();
  const [opened, open] = useState<string>();
  const first = rows[0];
  const bars = rows.slice(0, shown).map(({ id, hospitalName, feverClinicCount, epidemicCount }) => ({
    id,
    name: hospitalName,
    value: feverClinicCount,
    ...(epidemicCount > 0 && { about: t.clinics.epidemic(formatCount(epidemicCount)) }),
    onOpen: () => open(hospitalName),
  }));
  return (
    <Panel
      area="clinics"
      title={t.clinics.title}
      data={rows}
      about={first && `${t.clinics.top} · ${first.statisticsDate}`}
    >
      {first ? <Bars label={t.clinics.title} rows={bars} format={formatCount} /> : <Nothing>{t.clinics.none}</Nothing>}
      {opened !== undefined && (
        <ClinicHistory key={opened} hospitalName={opened} data={rows} onClose={() => open(undefined)} />
      )}
    </Panel>
  );
}
