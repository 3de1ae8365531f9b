import { Button } from "antd";
import { useState } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { today } from "#console/blocks/format.ts";
import { ImportWizard } from "#console/blocks/import/import-wizard.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useDetectionTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";
import { toOption, useExisting } from "#console/pages/disease-command/records/use-existing.ts";
import { TrendViews } from "#console/pages/disease-command/trend/trend-views.tsx";
import { useMay } from "#console/session/session.ts";

type Detection = RecordOf<typeof diseaseCommand.listDetection>;

export function DetectionPage() {
  const t = useTexts();
  const may = useMay();
  const [importing, setImporting] = useState(false);
  const categories = useExisting(diseaseCommand.listDetection, "peopleType");
  const count = { kind: "number", required: true, min: 0, precision: 0, unit: t.persons } as const;
  return (
    <>
      <RecordPage<Detection>
        title={t.title}
        one={t.one}
        name="detection"
        what="detection"
        operations={{
          list: diseaseCommand.listDetection,
          save: diseaseCommand.saveDetection,
          update: diseaseCommand.updateDetection,
          remove: diseaseCommand.deleteDetection,
        }}
        nameOf={({ statisticsDate, peopleType }) => `${statisticsDate} ${peopleType}`}
        initial={{ statisticsDate: today() }}
        filters={[
          { kind: "date", name: "startDate", label: t.startDate },
          { kind: "date", name: "endDate", label: t.endDate },
          { kind: "select", name: "peopleType", label: t.peopleType, options: categories.map(toOption) },
        ]}
        fields={[
          { kind: "date", name: "statisticsDate", label: t.statisticsDate, required: true },
          { kind: "text", name: "peopleType", label: t.peopleType, required: true, max: 255, existing: categories },
          { ...count, name: "detectionCount", label: t.detectionCount },
          { ...count, name: "abnormalCount", label: t.abnormalCount },
          { kind: "dateTime", name: "updateTime", label: t.updateTime, asked: false },
        ]}
        actions={
          <>
            <TrendViews list="/disease-command/detection" view="list" />
            {may(diseaseCommand.importDetection) && <Button onClick={() => setImporting(true)}>{t.import}</Button>}
          </>
        }
        empty={{ title: t.empty, about: t.emptyAbout }}
      />
      {importing && (
        <ImportWizard
          title={t.importTitle}
          operation={diseaseCommand.importDetection}
          template={diseaseCommand.detectionTemplate}
          describe={(rows) => t.imported(rows)}
          onClose={() => setImporting(false)}
        >
          <p className="q-soft">{t.importAbout}</p>
        </ImportWizard>
      )}
    </>
  );
}
