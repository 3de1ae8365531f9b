import { Button } from "antd";
import { useState } from "react";
import { platform } from "#shared/api/platform.ts";
import { joinWords } from "#console/blocks/format.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { OperatorForm } from "#console/pages/platform/operator-form.tsx";
import { texts } from "#console/pages/platform/texts.ts";
import { allSections, useServiceNames } from "#console/sections.ts";
import { type Session, useSession } from "#console/session/session.ts";

export type Operator = RecordOf<typeof platform.listOperators>;

/** Who runs the platform. */
export function OperatorsPage() {
  const t = useTexts(texts);
  const [editing, setEditing] = useState<Operator | "new">();
  const filters: Field[] = [
    { kind: "text", name: "userName", label: t.userName },
    { kind: "text", name: "name", label: t.name },
  ];
  return (
    <>
      <ListPage
        title={t.operators}
        about={t.operatorsAbout}
        name="platform/operators"
        operation={platform.listOperators}
        filters={filters}
        columns={useColumns(setEditing)}
        actions={
          <Button type="primary" onClick={() => setEditing("new")}>
            {t.createOperator}
          </Button>
        }
        empty={{ title: t.noOperators }}
      />
      {editing !== undefined && (
        <OperatorForm operator={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
    </>
  );
}

function useColumns(edit: (operator: Operator) => void): Column<Operator>[] {
  const t = useTexts(texts);
  const nameService = useServiceNames();
  const session = useSession();
  const confirm = useConfirm();
  const remove = useChange(platform.deleteOperators, { done: t.removed });
  const ask = ({ id, userName }: Operator) =>
    confirm({
      title: t.removeOperatorTitle(userName),
      about: t.removeOperatorAbout,
      work: () => remove.mutateAsync({ body: [id] }),
    });
  return [
    { field: "userName", title: t.userName, width: 160, sortable: true },
    { field: "name", title: t.name, width: 140, sortable: true },
    {
      field: "services",
      title: t.ofServices,
      width: 320,
      render: ({ services }) =>
        // The platform is one of them.
        services.length === allSections.length - 1 ? t.all : joinWords(services.map(nameService)) || t.onlyPlatform,
    },
    {
      field: "status",
      title: t.status,
      width: 100,
      sortable: true,
      render: ({ status }) => <Status tone={status === "1" ? "success" : "default"}>{t.statuses[status]}</Status>,
    },
    { field: "createTime", title: t.createTime, width: 165, sortable: true },
    actionColumn(
      t.actions,
      110,
      (row) =>
        mayManage(session, row) && (
          <>
            <RowAction label={t.editOperator(row.userName)} onClick={() => edit(row)}>
              {t.edit}
            </RowAction>
            {row.id !== session?.accountId && (
              <RowAction danger label={t.removeOperator(row.userName)} onClick={() => ask(row)}>
                {t.remove}
              </RowAction>
            )}
          </>
        ),
    ),
  ];
}

/** Nobody changes an operator who runs more than they do. */
const mayManage = (session: Session | null, { services }: Operator): boolean =>
  services.every((name) => session?.services.includes(name));
