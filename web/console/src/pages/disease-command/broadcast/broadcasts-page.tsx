import { diseaseCommand } from "#shared/api/disease-command.ts";
import type { Field } from "#console/blocks/fields.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useBroadcastTexts as useTexts, useRecordTexts } from "#console/pages/disease-command/texts.ts";
import { Images, ImageUpload } from "#console/blocks/images/images.tsx";
import type { RecordField } from "#console/pages/disease-command/records/record-field.tsx";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";
import { toOption, useExisting } from "#console/pages/disease-command/records/use-existing.ts";
import { Button, InputNumber, Select } from "antd";
import { useState } from "react";
import { Failure } from "#console/blocks/failure.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { StatCard } from "#console/blocks/stat-card.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useMay } from "#console/session/session.ts";
import "#console/pages/disease-command/records/page.css";

type Broadcast = DataOf<typeof diseaseCommand.findBroadcastRecord>;
type Listed = DataOf<typeof diseaseCommand.listBroadcastRecords>;

const type = { kind: "text", required: true, max: 255, width: 140 } as const;

export function BroadcastsPage() {
  const t = useTexts();
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

type Statistics = DataOf<typeof diseaseCommand.findBroadcastStatistics>;

function BroadcastStatistics() {
  const t = useTexts();
  const may = useMay();
  const { data, error, refetch } = useRead(diseaseCommand.findBroadcastStatistics, {});
  const [editing, edit] = useState(false);
  if (error)
    return (
      <section className="q-card">
        <Failure failure={error} onRetry={refetch} />
      </section>
    );
  const online = data && formatCount(Math.round(data.numOfDevice * data.rateOfInline));
  return (
    <section className="q-card" aria-label={t.statistics}>
      <div className="q-disease-head">
        <h2>{t.statistics}</h2>
        {data && may(diseaseCommand.updateBroadcastStatistics) && (
          <Button onClick={() => edit(true)}>{t.changeStatistics}</Button>
        )}
      </div>
      <div className="q-stats">
        <StatCard label={t.numOfDevice} value={data && formatCount(data.numOfDevice)} unit={t.devices} />
        <StatCard
          label={t.rateOfInline}
          value={data && `${formatRate(data.rateOfInline)}%`}
          about={online !== undefined && t.inline(online)}
        />
        <StatCard label={t.numOfBroadcasts} value={data && formatCount(data.numOfBroadcasts)} unit={t.times} />
        <StatCard label={t.broadcastDuration} value={data && formatCount(data.broadcastDuration)} unit={t.hours} />
        <StatCard
          label={t.broadcastTime}
          value={
            data && (
              <span className="q-disease-periods">{splitPeriods(data.broadcastTime).join(" ") || t.noPeriods}</span>
            )
          }
        />
      </div>
      {data && editing && <StatisticsForm statistics={data} onClose={() => edit(false)} />}
    </section>
  );
}

function StatisticsForm({ statistics, onClose }: { readonly statistics: Statistics; readonly onClose: () => void }) {
  const t = useTexts();
  const { saved } = useRecordTexts();
  const update = useChange(diseaseCommand.updateBroadcastStatistics, { done: saved, quiet: true });
  const count = { kind: "number", required: true, min: 0, precision: 0 } as const;
  const fields: Field[] = [
    { ...count, name: "numOfDevice", label: t.numOfDevice, unit: t.devices },
    { kind: "own", name: "rateOfInline", label: t.rateOfInline, required: true, control: <Percent /> },
    { ...count, name: "numOfBroadcasts", label: t.numOfBroadcasts, unit: t.times },
    { ...count, name: "broadcastDuration", label: t.broadcastDuration, unit: t.hours },
    {
      kind: "own",
      name: "broadcastTime",
      label: t.broadcastTime,
      required: true,
      help: t.broadcastTimeHelp,
      control: <Periods />,
    },
  ];
  return (
    <FormDrawer<Statistics>
      title={t.changeStatistics}
      needs={diseaseCommand.updateBroadcastStatistics}
      fields={fields}
      initial={statistics}
      onSave={(given) => update.mutateAsync({ body: { ...given, id: statistics.id } })}
      onClose={onClose}
    />
  );
}

interface Controlled<T> {
  readonly id?: string;
  readonly value?: T;
  readonly onChange?: (value: T | null) => void;
}

/** 0.953 becomes 95.3; rounding hides the floating-point error. */
const formatRate = (rate: number): number => Math.round(rate * 10_000) / 100;

function Percent({ id, value, onChange }: Controlled<number>) {
  return (
    <InputNumber
      {...(id !== undefined && { id })}
      className="q-wide"
      min={0}
      max={100}
      precision={2}
      suffix="%"
      value={value === undefined ? null : formatRate(value)}
      onChange={(percent) => onChange?.(percent === null ? null : Math.round(percent * 100) / 10_000)}
    />
  );
}

const splitPeriods = (text: string | undefined): string[] => (text ?? "").split(",").filter((period) => period !== "");

function Periods({ id, value, onChange }: Controlled<string>) {
  return (
    <Select
      {...(id !== undefined && { id })}
      mode="tags"
      open={false}
      suffixIcon={null}
      tokenSeparators={[",", "，", " "]}
      value={splitPeriods(value)}
      onChange={(periods) => onChange?.(periods.join(",").replaceAll("：", ":"))}
    />
  );
}
