import { diseaseCommand } from "#shared/api/disease-command.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { place } from "#shared/place.ts";
import { toVrAddress } from "#shared/vr-address.ts";
import { SpotsMap, useCityOfConsole } from "#console/pages/disease-command/map/disease-map.tsx";
import { Images, ImageUpload } from "#console/blocks/images/images.tsx";
import type { RecordField } from "#console/pages/disease-command/records/record-field.tsx";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";
import { useSpotTexts as useTexts } from "#console/pages/disease-command/texts.ts";

type ScenicSpot = RecordOf<typeof diseaseCommand.listScenicSpots>;

export function ScenicSpotsPage() {
  const t = useTexts();
  const { data: city } = useCityOfConsole();
  const named = (city?.listed ?? []).map(({ name }) => name);
  const fields: RecordField<ScenicSpot>[] = [
    {
      kind: "text",
      name: "scenicSpotName",
      label: t.scenicSpotName,
      required: true,
      max: 255,
      help: t.scenicSpotNameHelp,
      existing: named,
    },
    {
      kind: "own",
      name: "image",
      label: t.image,
      required: true,
      wide: true,
      width: 110,
      control: <ImageUpload most={1} />,
      render: ({ image }) => <Images names={image} />,
    },
    { kind: "text", name: "responsibler", label: t.responsibler, required: true, max: 255, width: 140 },
    { kind: "text", name: "responsiblerPhone", label: t.responsiblerPhone, required: true, max: 255, width: 140 },
    {
      kind: "number",
      name: "numOfEmergencyCrew",
      label: t.numOfEmergencyCrew,
      required: true,
      min: 0,
      precision: 0,
      unit: t.persons,
      width: 140,
    },
    {
      kind: "number",
      name: "numOfEmergencMaterial",
      label: t.numOfEmergencMaterial,
      required: true,
      min: 0,
      precision: 0,
      unit: t.items,
      width: 160,
    },
    {
      kind: "text",
      name: "urlOfVr",
      label: t.urlOfVr,
      max: 255,
      help: t.urlOfVrHelp,
      wide: true,
      width: 110,
      render: ({ urlOfVr }) => urlOfVr && <Panorama urlOfVr={urlOfVr} />,
    },
    {
      kind: "multiline",
      name: "scenicSpotDesc",
      label: t.scenicSpotDesc,
      required: true,
      max: 4000,
      listed: "hidden",
      width: 260,
    },
  ];
  return (
    <div className="q-disease-mapped">
      <RecordPage<ScenicSpot>
        title={t.title}
        one={t.one}
        name="scenic-spots"
        what="scenicSpot"
        operations={{
          list: diseaseCommand.listScenicSpots,
          find: diseaseCommand.findScenicSpot,
          save: diseaseCommand.addScenicSpot,
          update: diseaseCommand.updateScenicSpot,
          remove: diseaseCommand.deleteScenicSpots,
        }}
        nameOf={({ scenicSpotName }) => scenicSpotName}
        fields={fields}
        formWidth={720}
        empty={{ title: t.empty, about: t.emptyAbout }}
      >
        <SpotsMap />
      </RecordPage>
    </div>
  );
}

function Panorama({ urlOfVr }: { readonly urlOfVr: string }) {
  const t = useTexts();
  const address = toVrAddress(urlOfVr, place.base);
  if (address === undefined) return urlOfVr;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {t.openVr}
    </a>
  );
}
