import { Button } from "antd";
import { useState } from "react";
import { platform } from "#shared/api/platform.ts";
import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { useRightsWords } from "#console/blocks/rights/rights-table.tsx";
import { useTexts as useRightsTexts } from "#console/blocks/rights/texts.ts";
import { auditedAccount, RecordHistory } from "#console/blocks/record-history.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { useChange } from "#console/call/use-call.ts";
import { AccountForm, KeysDrawer, type ServiceAccount } from "#console/pages/platform/service-accounts/keys-drawer.tsx";
import { useServiceAccountTexts as useTexts } from "#console/pages/platform/texts.ts";

export function ServiceAccountsPage() {
  const t = useTexts();
  const [editing, setEditing] = useState<ServiceAccount | "new">();
  const [opened, setOpened] = useState<ServiceAccount>();
  return (
    <>
      <ListPage
        title={t.title}
        about={t.about}
        name="platform/service-accounts"
        operation={platform.listServiceAccounts}
        columns={useColumns({ edit: setEditing, open: setOpened })}
        rowName={({ userName }) => userName}
        actions={
          <IfMay operation={platform.createServiceAccount}>
            <Button type="primary" onClick={() => setEditing("new")}>
              {t.create}
            </Button>
          </IfMay>
        }
        empty={{ title: t.none, about: t.noneAbout }}
      />
      {editing !== undefined && (
        <AccountForm account={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      {opened && <KeysDrawer account={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

interface Openers {
  readonly edit: (account: ServiceAccount) => void;
  readonly open: (account: ServiceAccount) => void;
}

function useColumns({ edit, open }: Openers): Column<ServiceAccount>[] {
  const t = useTexts();
  const r = useRightsTexts();
  const sayRights = useRightsWords();
  const confirm = useConfirm();
  const remove = useChange(platform.deleteServiceAccounts, { done: t.removed });
  const ask = ({ id, userName }: ServiceAccount) =>
    confirm({
      title: t.removeTitle(userName),
      needs: platform.deleteServiceAccounts,
      about: t.removeAbout,
      work: () => remove.mutateAsync({ body: [id] }),
    });
  return [
    { field: "userName", title: t.userName, width: 170, sortable: true },
    { field: "name", title: t.purpose, width: 200, sortable: true, wraps: true },
    { field: "rights", title: r.rights, width: 300, wraps: true, render: ({ rights }) => sayRights(rights) },
    {
      field: "status",
      title: t.status,
      width: 100,
      sortable: true,
      render: ({ status }) => <Status tone={status === "1" ? "success" : "default"}>{t.statuses[status]}</Status>,
    },
    { field: "createTime", title: t.createTime, width: 165, sortable: true },
    actionColumn(t.actions, 190, (row) => (
      <>
        <RowAction needs="nothing" label={t.keysOf(row.userName)} onClick={() => open(row)}>
          {t.keys}
        </RowAction>
        <RecordHistory of={auditedAccount(row.id)} name={row.userName} />
        {row.endable && (
          <>
            <RowAction
              needs={platform.updateServiceAccount}
              label={t.editNamed(row.userName)}
              onClick={() => edit(row)}
            >
              {t.edit}
            </RowAction>
            <RowAction
              danger
              needs={platform.deleteServiceAccounts}
              label={t.removeNamed(row.userName)}
              onClick={() => ask(row)}
            >
              {t.remove}
            </RowAction>
          </>
        )}
      </>
    )),
  ];
}
