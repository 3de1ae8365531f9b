import { Button, Space } from "antd";
import { RowAction } from "#console/blocks/row-action.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import type { Operation } from "#console/call/operation.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import type { Identified } from "#console/pages/disease-command/records/record-field.tsx";
import { type Records, toRemoval, useAllowed } from "#console/pages/disease-command/records/records.ts";
import { texts } from "#console/pages/disease-command/records/texts.ts";

export interface Removal<R> {
  readonly operation: Operation;
  readonly one: string;
  readonly nameOf: (record: R) => string;
  /** What else goes with it. */
  readonly about?: string;
  /** What an operation takes that deletes one; left out, it takes an array of ids. */
  readonly toGiven?: (id: number) => object;
}

/** Asks, and deletes records. */
export function useRemoval<R extends Identified>({ operation, one, nameOf, about, toGiven }: Removal<R>) {
  const t = useTexts(texts);
  const confirm = useConfirm();
  const remove = useChange(operation, { done: t.removed });
  return (records: readonly R[], done?: () => void) => {
    const ids = records.map(({ id }) => id);
    const [first] = records;
    confirm({
      title: records.length === 1 && first ? t.removeOne(one, nameOf(first)) : t.removeSeveral(one, records.length),
      ...(about !== undefined && { about }),
      work: async () => {
        await remove.mutateAsync(toGiven && first ? toGiven(first.id) : { body: ids });
        done?.();
      },
    });
  };
}

interface RecordActionsProps<R extends Identified> {
  readonly records: Records<R>;
  readonly record: R;
  readonly onEdit: (record: R) => void;
  readonly onRemoved?: () => void;
}

/** What can be done with a record. */
export function RecordActions<R extends Identified>({ records, record, onEdit, onRemoved }: RecordActionsProps<R>) {
  const t = useTexts(texts);
  const { update, remove } = useAllowed(records.operations);
  const removal = records.isKept?.(record) ? undefined : toRemoval(records, remove);
  return (
    <Space size={12}>
      {records.rowActions?.(record)}
      {update && (
        <RowAction label={t.editNamed(records.nameOf(record))} onClick={() => onEdit(record)}>
          {t.edit}
        </RowAction>
      )}
      {removal && <RemoveAction record={record} removal={removal} onDone={onRemoved} />}
    </Space>
  );
}

interface RemoveActionProps<R> {
  readonly record: R;
  readonly removal: Removal<R>;
  readonly onDone: (() => void) | undefined;
}

function RemoveAction<R extends Identified>({ record, removal, onDone }: RemoveActionProps<R>) {
  const t = useTexts(texts);
  const remove = useRemoval(removal);
  return (
    <RowAction danger label={t.removeNamed(removal.nameOf(record))} onClick={() => remove([record], onDone)}>
      {t.remove}
    </RowAction>
  );
}

interface RemoveSelectedProps<R> {
  readonly records: readonly R[];
  readonly removal: Removal<R>;
  readonly onDone: () => void;
}

export function RemoveSelected<R extends Identified>({ records, removal, onDone }: RemoveSelectedProps<R>) {
  const t = useTexts(texts);
  const remove = useRemoval(removal);
  return (
    <Button size="small" danger onClick={() => remove(records, onDone)}>
      {t.removeSelected}
    </Button>
  );
}
