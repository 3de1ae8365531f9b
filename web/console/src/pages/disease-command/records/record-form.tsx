import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import type { Operation } from "#shared/call/operation.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { type Identified, listAsked } from "#console/pages/disease-command/records/record-field.tsx";
import type { Records } from "#console/pages/disease-command/records/records.ts";
import { texts } from "#console/pages/disease-command/records/texts.ts";

interface RecordFormProps<R extends Identified> {
  readonly records: Records<R>;
  /** What saves it: the module's save for a new one, its update for one that exists. */
  readonly operation: Operation;
  /** What the fields hold at first; with an id it is a record that exists. */
  readonly record: Partial<R>;
  readonly onClose: () => void;
}

/** The form of a record, new or known. */
export function RecordForm<R extends Identified>({ records, operation, record, onClose }: RecordFormProps<R>) {
  const { one, fields, toBody = (given: Partial<R>) => given, formWidth: width } = records;
  const t = useTexts(texts);
  const save = useChange(operation, { done: t.saved, quiet: true });
  const { id } = record;
  const known = Object.entries(record).filter(([, value]) => value !== null);
  return (
    <FormDrawer<Partial<R>>
      title={id === undefined ? t.create(one) : t.editOne(one)}
      needs={operation}
      fields={listAsked(fields)}
      initial={Object.fromEntries(known) as Partial<R>}
      {...(width !== undefined && { width })}
      onSave={(given, idempotencyKey) => {
        const body = { ...toBody(given), ...(id !== undefined && { id }) };
        return save.mutateAsync({ body, options: { idempotencyKey } } as object);
      }}
      onClose={onClose}
    />
  );
}
