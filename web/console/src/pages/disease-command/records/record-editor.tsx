import { useOpened } from "#console/blocks/list-page/address.ts";
import { useTexts } from "#shared/language/language.ts";
import { FoundRecord } from "#console/pages/disease-command/records/found-record.tsx";
import { RecordDetail } from "#console/pages/disease-command/records/record-detail.tsx";
import type { Identified } from "#console/pages/disease-command/records/record-field.tsx";
import { RecordForm } from "#console/pages/disease-command/records/record-form.tsx";
import { type Records, useAllowed } from "#console/pages/disease-command/records/records.ts";
import { texts } from "#console/pages/disease-command/records/texts.ts";

interface RecordEditorProps<R extends Identified> {
  readonly records: Records<R>;
  /** The record whose form is open; without an id it is a new one. */
  readonly edited: Partial<R> | undefined;
  readonly onEdit: (record: Partial<R> | undefined) => void;
}

/** What opens beside a list: the record of the address, and the form of the one that is edited. */
export function RecordEditor<R extends Identified>({ records, edited, onEdit }: RecordEditorProps<R>) {
  const t = useTexts(texts);
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
