import { diseaseCommand } from "#shared/api/disease-command.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useCapacityTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";

type Capacity = RecordOf<typeof diseaseCommand.listCapacities>;

export function CapacitiesPage() {
  const t = useTexts();
  return (
    <RecordPage<Capacity>
      title={t.title}
      about={t.about}
      one={t.one}
      name="capacities"
      what="capacity"
      operations={{
        list: diseaseCommand.listCapacities,
        save: diseaseCommand.saveCapacity,
        update: diseaseCommand.updateCapacity,
        remove: diseaseCommand.deleteCapacities,
      }}
      nameOf={({ scenicSpotName }) => scenicSpotName}
      fields={[
        {
          kind: "text",
          name: "scenicSpotName",
          label: t.scenicSpotName,
          required: true,
          max: 255,
          help: t.scenicSpotNameHelp,
        },
        {
          kind: "number",
          name: "maxCapacity",
          label: t.maxCapacity,
          required: true,
          min: 0,
          precision: 0,
          unit: t.visitors,
        },
      ]}
      empty={{ title: t.empty, about: t.emptyAbout }}
    />
  );
}
