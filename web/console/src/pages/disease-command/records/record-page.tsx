import { Button } from "antd";
import { type ReactNode, useState } from "react";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage, type ListPageProps } from "#console/blocks/list-page/list-page.tsx";
import { RecordActions, RemoveSelected } from "#console/pages/disease-command/records/record-actions.tsx";
import { RecordEditor } from "#console/pages/disease-command/records/record-editor.tsx";
import { type Identified, toColumns } from "#console/pages/disease-command/records/record-field.tsx";
import { type Records, toRemoval, useAllowed } from "#console/pages/disease-command/records/records.ts";
import "#console/pages/disease-command/records/page.css";
import { useRecordTexts as useTexts } from "#console/pages/disease-command/texts.ts";

type Shared = "title" | "about" | "children" | "toPage";

export interface RecordPageProps<R extends Identified> extends Records<R>, Pick<ListPageProps<Endpoint, R>, Shared> {
  readonly name: string;
  readonly filters?: readonly Field[];
  readonly initial?: Partial<R>;
  readonly empty: { readonly title: string; readonly about?: string };
  readonly actions?: ReactNode;
  readonly actionsWidth?: number;
}

export function RecordPage<R extends Identified>(props: RecordPageProps<R>) {
  const { one, operations, fields, nameOf, initial = {}, empty, actions, actionsWidth = 140 } = props;
  const t = useTexts();
  const [, open] = useOpened();
  const [edited, edit] = useState<Partial<R>>();
  const { find, save, update, remove } = useAllowed(operations);
  const removal = toRemoval(props, remove);
  const ownColumn: Column<R> = actionColumn(t.actions, actionsWidth, (record) => (
    <RecordActions records={props} record={record} onEdit={edit} />
  ));
  const link = (record: R, text: ReactNode) => (
    <Button
      type="link"
      size="small"
      className="q-row-action q-disease-link"
      aria-label={t.openNamed(nameOf(record))}
      onClick={() => open(record.id)}
    >
      {text}
    </Button>
  );
  const create = save && (
    <Button type="primary" onClick={() => edit(initial)}>
      {t.create(one)}
    </Button>
  );
  return (
    <>
      <ListPage<Endpoint, R>
        {...props}
        name={`disease-command/${props.name}`}
        operation={operations.list}
        columns={[
          ...toColumns(fields, operations.list.page !== undefined, find && link),
          ...(update || remove || props.rowActions ? [ownColumn] : []),
        ]}
        rowName={nameOf}
        actions={
          <>
            {actions}
            {create}
          </>
        }
        empty={{ ...empty, action: create }}
        {...(removal &&
          !removal.toGiven && {
            batch: (records, unselect) => <RemoveSelected records={records} removal={removal} onDone={unselect} />,
          })}
      />
      <RecordEditor<R> records={props} edited={edited} onEdit={edit} />
    </>
  );
}
