import { UploadOutlined } from "@ant-design/icons";
import { Button, Empty, Skeleton } from "antd";
import { useState } from "react";
import { IfMay } from "#console/blocks/buttons.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { ImportWizard } from "#console/blocks/import/import-wizard.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { DiseaseMap, useCityOfConsole, useSpotMarks } from "#console/pages/disease-command/map/disease-map.tsx";
import { useMapTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { Link } from "react-router";
import { useRead } from "#console/call/use-call.ts";

export function CityMapPage() {
  const t = useTexts();
  const { data: city, error, refetch } = useCityOfConsole();
  const [uploading, upload] = useState(false);
  const button = (
    <IfMay operation={diseaseCommand.saveCityMap}>
      <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={() => upload(true)}>
        {t.upload}
      </Button>
    </IfMay>
  );
  return (
    <>
      <PageHead title={t.title} about={city?.areas && t.count(city.areas.features.length)}>
        {city?.areas && button}
      </PageHead>
      {error && !city && <Failure failure={error} onRetry={refetch} />}
      {!city && !error && <Skeleton active paragraph={{ rows: 10 }} />}
      {city && !city.areas && (
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.noMap}>
          <p className="q-soft">{t.noMapAbout}</p>
          {button}
        </Empty>
      )}
      {city?.areas && <SavedMap />}
      {city?.areas && <MapMismatches />}
      {uploading && <MapUpload onClose={() => upload(false)} />}
    </>
  );
}

function SavedMap() {
  const t = useTexts();
  return <DiseaseMap size="page" label={t.title} marks={useSpotMarks()} />;
}

function MapUpload({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts();
  return (
    <ImportWizard
      title={t.upload}
      operation={diseaseCommand.saveCityMap}
      accept=".geojson,.json"
      startText={t.save}
      initial={{ datum: "gcj02" }}
      fields={[
        {
          kind: "choices",
          name: "datum",
          label: t.datum,
          help: t.datumHelp,
          options: (["gcj02", "wgs84"] as const).map((value) => ({ value, label: t.datums[value] })),
        },
      ]}
      describe={(count) => t.saved(Number(count))}
      onClose={onClose}
    >
      <p className="q-soft">{t.uploadAbout}</p>
    </ImportWizard>
  );
}

/** A spot whose name is missing from the map has no mark on the big screen's map. */
function MapMismatches() {
  const t = useTexts();
  const { data, error, refetch } = useRead(diseaseCommand.findMapMismatches, {});
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active />;
  return (
    <div className="q-disease-mismatches">
      <section className="q-card" aria-label={t.spotsAlone}>
        <h2>{t.spotsAlone}</h2>
        <p className="q-soft">{data.spots.length === 0 ? t.allMatch : t.spotsAloneAbout(data.spots.length)}</p>
        <Names names={data.spots} />
        {data.spots.length > 0 && <Link to="/disease-command/scenic-spots">{t.toSpots}</Link>}
      </section>
      <section className="q-card" aria-label={t.featuresAlone}>
        <h2>{t.featuresAlone}</h2>
        <p className="q-soft">{t.featuresAloneAbout(data.features.length)}</p>
        <Names names={data.features} />
      </section>
    </div>
  );
}

// A correct map may have hundreds of names without a spot, so at first only this many are shown.
const atFirst = 50;

function Names({ names }: { readonly names: readonly string[] }) {
  const t = useTexts();
  const [whole, showWhole] = useState(false);
  const shown = whole ? names : names.slice(0, atFirst);
  return (
    <>
      <ul className="q-disease-names">
        {shown.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
      {shown.length < names.length && (
        <Button type="link" onClick={() => showWhole(true)}>
          {t.showAll(names.length)}
        </Button>
      )}
    </>
  );
}
