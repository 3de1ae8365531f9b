import { useOpened } from "#console/blocks/list-page/address.ts";
import { type Identified, listAsked, showField } from "#console/pages/disease-command/records/record-field.tsx";
import { type Records, toAudited, useAllowed } from "#console/pages/disease-command/records/records.ts";
import { useRecordTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { Drawer, Skeleton } from "antd";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import type { Field } from "#console/blocks/fields.tsx";
import type { Operation } from "#shared/call/operation.ts";
import { RecordActions } from "#console/pages/disease-command/records/record-actions.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { type ReactNode, useState } from "react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { CallFailure } from "#shared/call/failure.ts";

interface RecordEditorProps<R extends Identified> {
  readonly records: Records<R>;
  readonly edited: Partial<R> | undefined;
  readonly onEdit: (record: Partial<R> | undefined) => void;
}

export function RecordEditor<R extends Identified>({ records, edited, onEdit }: RecordEditorProps<R>) {
  const t = useTexts();
  const [opened, open] = useOpened();
  const { find, save, update } = useAllowed(records.operations);
  const operation = edited?.id === undefined ? save : update;
  const close = () => onEdit(undefined);
  return (
    <>
      {opened !== undefined && find && !edited && (
        <RecordDetail<R>
          records={records}
          find={find}
          id={Number(opened)}
          onEdit={onEdit}
          onClose={() => open(undefined)}
        />
      )}
      {edited && operation && (
        <FoundRecord<R> title={t.editOne(records.one)} find={find} record={edited} onClose={close}>
          {(record) => <RecordForm<R> records={records} operation={operation} record={record} onClose={close} />}
        </FoundRecord>
      )}
    </>
  );
}

interface RecordDetailProps<R extends Identified> {
  readonly records: Records<R>;
  readonly find: Operation;
  readonly id: number;
  readonly onEdit: (record: R) => void;
  readonly onClose: () => void;
}

function RecordDetail<R extends Identified>({ records, find, id, onEdit, onClose }: RecordDetailProps<R>) {
  const { one, fields, nameOf, detail } = records;
  const t = useTexts();
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

interface RecordFormProps<R extends Identified> {
  readonly records: Records<R>;
  readonly operation: Operation;
  readonly record: Partial<R>;
  readonly onClose: () => void;
}

function RecordForm<R extends Identified>({ records, operation, record, onClose }: RecordFormProps<R>) {
  const { one, fields, toBody = (given: Partial<R>) => given, formWidth: width, readBack } = records;
  const t = useTexts();
  const save = useChange(operation, { done: t.saved, quiet: true });
  const { id } = record;
  const initial = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
  // The API cannot remove a date that a record has.
  const isKept = ({ kind, name }: Field) => id !== undefined && /^(?:date|month)/.test(kind) && name in initial;
  return (
    <FormDrawer<Partial<R>>
      title={id === undefined ? t.create(one) : t.editOne(one)}
      needs={operation}
      fields={listAsked(fields).map((field) => (isKept(field) ? { ...field, required: true } : field))}
      initial={initial as Partial<R>}
      {...(width !== undefined && { width })}
      {...(readBack && { readBack })}
      onSave={(given, idempotencyKey) => {
        const body = { ...toBody(given), ...(id !== undefined && { id }) };
        return save.mutateAsync({ body, options: { idempotencyKey } } as object);
      }}
      onClose={onClose}
    />
  );
}

interface FoundRecordProps<R> {
  readonly title: string;
  /** The operation that reads the record with its long contents, which lists leave out; undefined to use `record`. */
  readonly find: Operation | undefined;
  readonly record: Partial<R>;
  readonly onClose: () => void;
  readonly children: (record: Partial<R>) => ReactNode;
}

function FoundRecord<R extends Identified>({ find, record, ...props }: FoundRecordProps<R>) {
  if (!find || record.id === undefined) return props.children(record);
  return <Reading<R> {...props} find={find} id={record.id} />;
}

type ReadingProps<R> = Omit<FoundRecordProps<R>, "find" | "record"> & {
  readonly find: Operation;
  readonly id: number;
};

function Reading<R extends Identified>({ title, find, id, onClose, children }: ReadingProps<R>) {
  const { data, error, isFetching, refetch } = useFind<R>(find, id);
  // The form keeps its initial values when the record is read again.
  const [found, keep] = useState<R>();
  if (found) return children(found);
  if (data && !isFetching) keep(data);
  return (
    <Drawer open title={title} size={480} onClose={onClose}>
      {error ? <Failure failure={error} onRetry={refetch} /> : <Skeleton active paragraph={{ rows: 8 }} />}
    </Drawer>
  );
}

/** The operation's only parameter, whatever its name, must be the id. */
function useFind<R>(find: Operation, id: number): UseQueryResult<R, CallFailure> {
  const parameter = /:(\w+)$/.exec(find.url)?.[1] ?? "id";
  return useRead(find as never, { params: { [parameter]: id } }) as UseQueryResult<R, CallFailure>;
}
