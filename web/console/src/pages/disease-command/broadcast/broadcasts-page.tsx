import { diseaseCommand } from "#shared/api/disease-command.ts";
import type { Field } from "#console/blocks/fields.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { BroadcastStatistics } from "#console/pages/disease-command/broadcast/broadcast-statistics.tsx";
import { texts } from "#console/pages/disease-command/broadcast/texts.ts";
import { Images, ImageUpload } from "#console/pages/disease-command/records/images.tsx";
import type { RecordField } from "#console/pages/disease-command/records/record-field.tsx";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";
import { toOption, useExisting } from "#console/pages/disease-command/records/use-existing.ts";

type Broadcast = DataOf<typeof diseaseCommand.findBroadcastRecord>;
type Listed = DataOf<typeof diseaseCommand.listBroadcastRecords>;

const type = { kind: "text", required: true, max: 255, width: 140 } as const;

/** What was broadcast, under the figures of all broadcasts. */
export function BroadcastsPage() {
  const t = useTexts(texts);
  const broadcastTypes = useExisting(diseaseCommand.listBroadcastRecords, "broadcastType");
  const messageTypes = useExisting(diseaseCommand.listBroadcastRecords, "messageType");
  const filters: Field[] = [
    { kind: "text", name: "title", label: t.recordTitle },
    { kind: "select", name: "broadcastType", label: t.broadcastType, options: broadcastTypes.map(toOption) },
    { kind: "select", name: "messageType", label: t.messageType, options: messageTypes.map(toOption) },
  ];
  const fields: RecordField<Broadcast>[] = [
    { kind: "text", name: "title", label: t.recordTitle, required: true, max: 255, wide: true, width: 240 },
    { kind: "text", name: "address", label: t.address, required: true, max: 255 },
    { kind: "dateTime", name: "playTime", label: t.playTime },
    { ...type, name: "broadcastType", label: t.broadcastType, existing: broadcastTypes },
    { ...type, name: "messageType", label: t.messageType, existing: messageTypes },
    { kind: "multiline", name: "content", label: t.content, required: true, max: 4000, width: 260 },
    {
      kind: "own",
      name: "extraFile",
      label: t.extraFile,
      wide: true,
      width: 110,
      control: <ImageUpload most={1} />,
      render: ({ extraFile }) => <Images names={extraFile} />,
    },
  ];
  return (
    <RecordPage<Broadcast>
      title={t.title}
      one={t.one}
      name="broadcasts"
      what="broadcastRecord"
      operations={{
        list: diseaseCommand.listBroadcastRecords,
        find: diseaseCommand.findBroadcastRecord,
        save: diseaseCommand.addBroadcastRecord,
        update: diseaseCommand.updateBroadcastRecord,
        remove: diseaseCommand.deleteBroadcastRecords,
      }}
      toPage={(data) => (data as unknown as Listed).recordPage}
      nameOf={({ title }) => title}
      filters={filters}
      fields={fields}
      formWidth={720}
      empty={{ title: t.empty, about: t.emptyAbout }}
    >
      <BroadcastStatistics />
    </RecordPage>
  );
}
