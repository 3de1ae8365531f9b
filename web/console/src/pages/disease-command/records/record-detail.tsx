import { Drawer } from "antd";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import type { Operation } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { RecordActions } from "#console/pages/disease-command/records/record-actions.tsx";
import { type Identified, showField } from "#console/pages/disease-command/records/record-field.tsx";
import { type Records, toAudited } from "#console/pages/disease-command/records/records.ts";
import { texts } from "#console/pages/disease-command/records/texts.ts";
import { useFind } from "#console/pages/disease-command/records/use-find.ts";

interface RecordDetailProps<R extends Identified> {
  readonly records: Records<R>;
  readonly find: Operation;
  readonly id: number;
  readonly onEdit: (record: R) => void;
  readonly onClose: () => void;
}

/** A record beside its list: every field of it, and what can be done with it. */
export function RecordDetail<R extends Identified>({ records, find, id, onEdit, onClose }: RecordDetailProps<R>) {
  const { one, fields, nameOf, detail } = records;
  const t = useTexts(texts);
  const { data, error, refetch } = useFind<R>(find, id);
  if (error)
    return (
      <Drawer open title={one} size={640} onClose={onClose}>
        <Failure failure={error} onRetry={refetch} />
      </Drawer>
    );
  if (!data) return <DetailDrawer title={one} details={undefined} onClose={onClose} />;
  const details = fields.map((field) => ({
    label: field.label,
    value: showField(field, data),
    wide: field.wide === true || field.kind === "multiline",
  }));
  return (
    <DetailDrawer
      title={nameOf(data)}
      details={[{ label: t.id, value: data.id, wide: true }, ...details]}
      actions={<RecordActions large records={records} record={data} onEdit={onEdit} onLeave={onClose} />}
      audited={toAudited(records, data)}
      onClose={onClose}
    >
      {detail?.(data)}
    </DetailDrawer>
  );
}
