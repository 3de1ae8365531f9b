import { useMemo } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { Status } from "#console/blocks/status.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { DiseaseMap, ListMap, PositionField } from "#console/pages/disease-command/map/disease-map.tsx";
import { useMapTexts, useToiletTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import type { RecordField } from "#console/pages/disease-command/records/record-field.tsx";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";
import { useExisting } from "#console/pages/disease-command/records/use-existing.ts";
import type { Mark } from "#shared/map/city-map.tsx";
import { parsePosition } from "#shared/map/coordinates.ts";

type Toilet = RecordOf<typeof diseaseCommand.listToilets>;

export function ToiletsPage() {
  const t = useTexts();
  return (
    <div className="q-disease-mapped">
      <RecordPage<Toilet>
        title={t.title}
        one={t.one}
        name="toilets"
        what="toilet"
        operations={{
          list: diseaseCommand.listToilets,
          find: diseaseCommand.findToilet,
          save: diseaseCommand.saveToilet,
          update: diseaseCommand.updateToilet,
          remove: diseaseCommand.deleteToilets,
        }}
        nameOf={({ name }) => name}
        filters={[{ kind: "text", name: "keyword", label: t.keyword }]}
        initial={{ status: "1", sort: 0 }}
        fields={useFields()}
        formWidth={760}
        detail={(toilet) => <Around toilet={toilet} />}
        empty={{ title: t.empty, about: t.emptyAbout }}
      >
        <ListMap label={t.map} marks={useMarks()} />
      </RecordPage>
    </div>
  );
}

function useFields(): RecordField<Toilet>[] {
  const t = useTexts();
  const { positionHelp } = useMapTexts();
  const marks = useMarks();
  const levels = useExisting(diseaseCommand.listToilets, "level");
  const stalls = { kind: "number", required: true, min: 0, precision: 0, unit: t.stalls, width: 100 } as const;
  return [
    { kind: "text", name: "name", label: t.name, required: true, max: 255, width: 200 },
    { kind: "text", name: "level", label: t.level, required: true, max: 255, width: 100, existing: levels },
    { kind: "text", name: "addrDesc", label: t.addrDesc, required: true, max: 4000, wide: true, width: 240 },
    {
      kind: "own",
      name: "longitudeAndLatitude",
      label: t.longitudeAndLatitude,
      required: true,
      wide: true,
      help: positionHelp,
      control: <PositionField marks={marks} />,
      render: ({ longitudeAndLatitude }) => longitudeAndLatitude,
    },
    {
      kind: "choices",
      name: "status",
      label: t.status,
      required: true,
      options: (["1", "2"] as const).map((value) => ({ value, label: t.statuses[value] })),
      render: ({ status }) => <Status tone={status === "1" ? "success" : "default"}>{t.statuses[status]}</Status>,
    },
    { kind: "text", name: "area", label: t.area, required: true, max: 255, width: 150, listed: "hidden" },
    { ...stalls, name: "numOfBarrierFree", label: t.numOfBarrierFree, listed: "hidden" },
    { ...stalls, name: "numOfThird", label: t.numOfThird, listed: "hidden" },
    { ...stalls, name: "numOfMan", label: t.numOfMan },
    { ...stalls, name: "numOfWoman", label: t.numOfWoman },
    { ...stalls, name: "numOfCommon", label: t.numOfCommon },
    { kind: "text", name: "itemNo", label: t.itemNo, max: 255, width: 120, listed: "hidden" },
    { kind: "number", name: "sort", label: t.sort, precision: 0, help: t.sortHelp, listed: "hidden" },
  ];
}

function useMarks(): readonly Mark[] {
  const { data } = useRead(diseaseCommand.listMiniToilets, {});
  return useMemo(
    () =>
      (data ?? []).flatMap(({ id, name, longitudeAndLatitude }) => {
        const at = parsePosition(longitudeAndLatitude);
        return at ? [{ id, at, label: name, kind: "toilet" as const }] : [];
      }),
    [data],
  );
}

function Around({ toilet }: { readonly toilet: Toilet }) {
  const { map } = useMapTexts();
  const marks = useMarks();
  return (
    <div className="q-disease-below">
      <DiseaseMap label={map} size="part" marks={marks} place={parsePosition(toilet.longitudeAndLatitude)} />
    </div>
  );
}
