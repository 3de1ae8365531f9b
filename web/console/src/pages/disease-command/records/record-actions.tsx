import { Button, Space } from "antd";
import { RecordHistory } from "#console/blocks/record-history.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import type { Operation } from "#shared/call/operation.ts";
import { useChange } from "#console/call/use-call.ts";
import type { Identified } from "#console/pages/disease-command/records/record-field.tsx";
import {
  type Records,
  type Removal,
  toAudited,
  toRemoval,
  useAllowed,
} from "#console/pages/disease-command/records/records.ts";
import { useRecordTexts as useTexts } from "#console/pages/disease-command/texts.ts";

interface Around {
  readonly before?: (() => void) | undefined;
  readonly after?: () => void;
}

export function useRemoval<R extends Identified>({ operation, one, nameOf, about, toGiven }: Removal<R>) {
  const t = useTexts();
  const confirm = useConfirm();
  const remove = useChange(operation, { done: t.removed });
  return (records: readonly R[], { before, after }: Around) => {
    const ids = records.map(({ id }) => id);
    const [first] = records;
    confirm({
      title: records.length === 1 && first ? t.removeOne(one, nameOf(first)) : t.removeSeveral(one, records.length),
      needs: operation,
      ...(about !== undefined && { about }),
      work: async () => {
        before?.();
        await remove.mutateAsync(toGiven && first ? toGiven(first.id) : { body: ids });
        after?.();
      },
    });
  };
}

interface RecordActionsProps<R extends Identified> {
  readonly large?: boolean;
  readonly records: Records<R>;
  readonly record: R;
  readonly onEdit: (record: R) => void;
  readonly onLeave?: () => void;
}

export function RecordActions<R extends Identified>(props: RecordActionsProps<R>) {
  const { large = false, records, record, onEdit, onLeave } = props;
  const t = useTexts();
  const { update, remove } = useAllowed(records.operations);
  const removal = toRemoval(records, remove);
  return (
    <Space size={12}>
      {records.rowActions?.(record)}
      {update && (
        <Action large={large} needs={update} label={t.editNamed(records.nameOf(record))} onClick={() => onEdit(record)}>
          {t.edit}
        </Action>
      )}
      {!records.operations.find && <RecordHistory of={toAudited(records, record)} name={records.nameOf(record)} />}
      {removal && <RemoveAction large={large} record={record} removal={removal} onLeave={onLeave} />}
    </Space>
  );
}

interface ActionProps {
  readonly needs: Operation;
  readonly large: boolean;
  readonly label: string;
  readonly danger?: boolean;
  readonly onClick: () => void;
  readonly children: string;
}

function Action({ large, needs, label, danger = false, onClick, children }: ActionProps) {
  if (!large)
    return (
      <RowAction needs={needs} label={label} danger={danger} onClick={onClick}>
        {children}
      </RowAction>
    );
  return (
    <Button aria-label={label} danger={danger} onClick={onClick}>
      {children}
    </Button>
  );
}

interface RemoveActionProps<R> {
  readonly large: boolean;
  readonly record: R;
  readonly removal: Removal<R>;
  readonly onLeave: (() => void) | undefined;
}

function RemoveAction<R extends Identified>({ large, record, removal, onLeave }: RemoveActionProps<R>) {
  const t = useTexts();
  const remove = useRemoval(removal);
  return (
    <Action
      large={large}
      needs={removal.operation}
      danger
      label={t.removeNamed(removal.nameOf(record))}
      onClick={() => remove([record], { before: onLeave })}
    >
      {t.remove}
    </Action>
  );
}

interface RemoveSelectedProps<R> {
  readonly records: readonly R[];
  readonly removal: Removal<R>;
  readonly onDone: () => void;
}

export function RemoveSelected<R extends Identified>({ records, removal, onDone }: RemoveSelectedProps<R>) {
  const t = useTexts();
  const remove = useRemoval(removal);
  return (
    <Button size="small" danger onClick={() => remove(records, { after: onDone })}>
      {t.removeSelected}
    </Button>
  );
}
