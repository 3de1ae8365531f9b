import { Button, Space } from "antd";
import { useState } from "react";
import { tuitionPayment } from "#console/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import type { Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import type { RecordOf } from "#console/call/operation.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/tuition-payment/texts.ts";
import { useMay, useSession } from "#console/session/session.ts";

type Administrator = RecordOf<typeof tuitionPayment.listAdministrators>;

/** The service's administrators: everybody may see them, super administrators change them. */
export function AdministratorsPage() {
  const t = useTexts(texts);
  const may = useMay();
  const [editing, setEditing] = useState<Administrator | "new">();
  const mayCreate = may(tuitionPayment.saveAdministrator);
  const create = (
    <Button type="primary" onClick={() => setEditing("new")}>
      {t.createAdministrator}
    </Button>
  );
  return (
    <>
      <ListPage
        title={t.administrators}
        name="tuition-payment/administrators"
        operation={tuitionPayment.listAdministrators}
        columns={useColumns(setEditing)}
        actions={mayCreate && create}
        empty={{ title: t.noAdministrators, about: t.noAdministratorsAbout, action: mayCreate && create }}
      />
      {editing !== undefined && (
        <AdministratorForm
          administrator={editing === "new" ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </>
  );
}

function useColumns(edit: (administrator: Administrator) => void): Column<Administrator>[] {
  const t = useTexts(texts);
  const may = useMay();
  const session = useSession();
  const confirm = useConfirm();
  const remove = useChange(tuitionPayment.deleteAdministrator, { done: t.accountRemoved });
  const ask = ({ id, userName }: Administrator) =>
    confirm({
      title: t.removeAdministrator(userName),
      about: t.removeAdministratorAbout,
      work: () => remove.mutateAsync({ params: { id } }),
    });
  const actions: Column<Administrator> = {
    field: "actions",
    title: t.actions,
    width: 110,
    always: true,
    fixed: "end",
    render: (row) => (
      <Space size={12}>
        <RowAction label={t.editAdministrator(row.userName)} onClick={() => edit(row)}>
          {t.edit}
        </RowAction>
        {row.id !== session?.accountId && (
          <RowAction danger label={t.removeNamed(row.userName)} onClick={() => ask(row)}>
            {t.remove}
          </RowAction>
        )}
      </Space>
    ),
  };
  return [
    { field: "userName", title: t.userName, sortable: true },
    {
      field: "adminType",
      title: t.adminType,
      width: 170,
      sortable: true,
      render: ({ adminType }) => t.adminTypes[adminType],
    },
    {
      field: "status",
      title: t.accountStatus,
      width: 100,
      sortable: true,
      render: ({ status }) => (
        <Status tone={status === "1" ? "success" : "default"}>{t.accountStatuses[status]}</Status>
      ),
    },
    ...(may(tuitionPayment.updateAdministrator) ? [actions] : []),
  ];
}

interface FormProps {
  readonly administrator: Administrator | undefined;
  readonly onClose: () => void;
}

interface Given {
  readonly userName: string;
  readonly password?: string;
  readonly adminType: Administrator["adminType"];
  readonly status: Administrator["status"];
}

function AdministratorForm({ administrator, onClose }: FormProps) {
  const t = useTexts(texts);
  const session = useSession();
  const options = { done: t.saved, quiet: true };
  const add = useChange(tuitionPayment.saveAdministrator, options);
  const update = useChange(tuitionPayment.updateAdministrator, options);
  // Nobody takes their own rights away, nor signs themselves out by way of this form.
  const oneself = administrator !== undefined && administrator.id === session?.accountId;
  const fields: Field[] = [
    { kind: "text", name: "userName", label: t.userName, required: true, max: 255 },
    {
      kind: "choices",
      name: "adminType",
      label: t.adminType,
      disabled: oneself,
      options: (["1", "0"] as const).map((value) => ({ value, label: t.adminTypes[value] })),
    },
    ...(oneself
      ? []
      : ([
          {
            kind: "choices",
            name: "status",
            label: t.accountStatus,
            options: (["1", "0"] as const).map((value) => ({ value, label: t.accountStatuses[value] })),
          },
          {
            kind: "password",
            name: "password",
            label: t.password,
            min: 8,
            max: 128,
            required: !administrator,
            help: administrator ? t.passwordKeep : t.passwordHelp,
          },
        ] as const satisfies Field[])),
  ];
  return (
    <FormDrawer<Given>
      title={administrator ? t.editAdministrator(administrator.userName) : t.createAdministrator}
      fields={fields}
      initial={administrator ? toGiven(administrator) : { adminType: "1", status: "1" }}
      onSave={({ password, ...given }, idempotencyKey) => {
        return administrator
          ? update.mutateAsync({ body: { ...given, ...(password && { password }), id: administrator.id } })
          : add.mutateAsync({ body: { ...given, password: password ?? "" }, options: { idempotencyKey } });
      }}
      onClose={onClose}
    />
  );
}

const toGiven = ({ userName, adminType, status }: Administrator): Given => ({ userName, adminType, status });
