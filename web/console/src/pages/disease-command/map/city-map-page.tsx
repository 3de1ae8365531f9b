import { UploadOutlined } from "@ant-design/icons";
import { Button, Empty, Skeleton } from "antd";
import { useState } from "react";
import { IfMay } from "#console/blocks/if-may.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { ImportWizard } from "#console/blocks/import/import-wizard.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useCityOfConsole, DiseaseMap } from "#console/pages/disease-command/map/disease-map.tsx";
import { MapMismatches } from "#console/pages/disease-command/map/map-mismatches.tsx";
import { useSpotMarks } from "#console/pages/disease-command/map/spots-map.tsx";
import { texts } from "#console/pages/disease-command/map/texts.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { useTexts } from "#shared/language/language.ts";

/** The city's own map: what is saved, how to put another in its place, and which names do not match. */
export function CityMapPage() {
  const t = useTexts(texts);
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
  const t = useTexts(texts);
  return <DiseaseMap size="page" label={t.title} marks={useSpotMarks()} />;
}

function MapUpload({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(texts);
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
