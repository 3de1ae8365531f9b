import { Button } from "antd";
import { useState } from "react";
import { useTexts } from "#console/blocks/administrators/texts.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { makePassword } from "#console/blocks/new-password.tsx";
import {
  AccountName,
  ownRights,
  type Rights,
  RightsTable,
  useRightsWords,
} from "#console/blocks/rights/rights-table.tsx";
import { useTexts as useRightsTexts } from "#console/blocks/rights/texts.ts";
import { type Scope, ScopeFields, useScopeWords } from "#console/blocks/scope/scope-fields.tsx";
import { useTexts as useScopeTexts } from "#console/blocks/scope/texts.ts";
import { auditedAccount, RecordHistory } from "#console/blocks/record-history.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { platform } from "#shared/api/platform.ts";
import type { Operation } from "#shared/call/operation.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useFactorColumn } from "#console/session/second-factor/holders.tsx";
import { mayOpen, useMay, useSession } from "#console/session/session.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

type Code = string | number;

interface Administrator {
  readonly id: number;
  readonly userName: string;
  readonly adminType: Code;
  readonly status: Code;
  readonly name?: string;
  readonly time?: string;
  readonly rights?: Rights;
  readonly scope?: Scope;
  /** True if the campus sign-on created the account and defines its rights. */
  readonly fromSignOn?: true;
}

interface Given extends Omit<Administrator, "id" | "time" | "fromSignOn"> {
  readonly password?: string;
}

export interface AdministratorsPageProps {
  readonly name: string;
  readonly operations: Readonly<Record<"list" | "save" | "update" | "remove", Operation>>;
  readonly toRemoval: (id: number) => object;
  readonly codes: { readonly adminType: Record<"super" | "plain", Code>; readonly status: Record<"on" | "off", Code> };
  /**
   * Whether the service also stores the person's name and the creation time, and allows accounts without a password.
   */
  readonly isPersonal?: boolean;
  readonly emptyAbout: string;
}

export function AdministratorsPage(props: AdministratorsPageProps) {
  const { name, operations, isPersonal = false, emptyAbout } = props;
  const t = useTexts();
  const may = useMay();
  const [editing, setEditing] = useState<Administrator | "new">();
  const filters: Field[] = [
    { kind: "text", name: "userName", label: t.userName },
    { kind: "text", name: "name", label: t.realName },
    { kind: "period", name: "time", label: t.time },
  ];
  const create = may(operations.save) && (
    <Button type="primary" onClick={() => setEditing("new")}>
      {t.create}
    </Button>
  );
  return (
    <>
      <ListPage<Endpoint, Administrator>
        title={t.administrators}
        name={name}
        operation={operations.list}
        {...(isPersonal && { filters })}
        columns={useColumns(props, setEditing)}
        actions={create}
        empty={{ title: t.empty, about: emptyAbout, action: create }}
      />
      {editing !== undefined && (
        <AdministratorForm
          page={props}
          administrator={editing === "new" ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </>
  );
}

function useColumns(
  { operations, toRemoval, codes, isPersonal = false }: AdministratorsPageProps,
  edit: (administrator: Administrator) => void,
): Column<Administrator>[] {
  const t = useTexts();
  const may = useMay();
  const r = useRightsTexts();
  const sayRights = useRightsWords(true);
  const sayScope = useScopeWords();
  const session = useSession();
  const confirm = useConfirm();
  const remove = useChange(operations.remove, { done: t.removed });
  const isLast = useIsLast({ operations, codes });
  const ask = ({ id, userName }: Administrator) =>
    confirm({
      title: t.removeTitle(userName),
      needs: operations.remove,
      about: t.removeAbout,
      work: () => remove.mutateAsync(toRemoval(id)),
    });
  const { columns: factorColumns, resetAction } = useFactorColumn<Administrator>(operations.list.service);
  const actions: Column<Administrator> = actionColumn(t.actions, 190, (row) => (
    <>
      <RowAction needs={operations.update} label={t.editNamed(row.userName)} onClick={() => edit(row)}>
        {t.edit}
      </RowAction>
      {resetAction(row)}
      <RecordHistory of={auditedAccount(row.id)} name={row.userName} />
      {row.id !== session?.accountId && isLast(row) === false && (
        <RowAction needs={operations.remove} danger label={t.removeNamed(row.userName)} onClick={() => ask(row)}>
          {t.remove}
        </RowAction>
      )}
    </>
  ));
  return [
    { field: "userName", title: t.userName, sortable: true, render: (row) => <AccountName {...row} /> },
    ...(isPersonal ? [{ field: "name", title: t.realName, sortable: true }] : []),
    {
      field: "adminType",
      title: t.adminType,
      width: 170,
      sortable: true,
      render: ({ adminType }) => t.adminTypes[adminType === codes.adminType.super ? "super" : "plain"],
    },
    {
      field: "rights",
      title: r.rights,
      width: 170,
      wraps: true,
      render: ({ rights, scope }) => (
        <>
          {sayRights(rights)}
          {scope && <div className="q-soft">{sayScope(scope)}</div>}
        </>
      ),
    },
    {
      field: "status",
      title: t.status,
      width: 100,
      sortable: true,
      render: ({ status }) =>
        status === codes.status.on ? (
          <Status tone="success">{t.statuses.on}</Status>
        ) : (
          <Status tone="default">{t.statuses.off}</Status>
        ),
    },
    ...factorColumns,
    ...(isPersonal ? [{ field: "time", title: t.time, width: 170, sortable: true }] : []),
    ...(may(operations.update) || mayOpen(session, platform.listAudit) ? [actions] : []),
  ];
}

interface FormProps {
  readonly page: AdministratorsPageProps;
  readonly administrator: Administrator | undefined;
  readonly onClose: () => void;
}

function AdministratorForm({ page: { operations, codes, isPersonal = false }, administrator, onClose }: FormProps) {
  const t = useTexts();
  const r = useRightsTexts();
  const s = useScopeTexts();
  const session = useSession();
  const options = { done: t.saved, quiet: true };
  const save = useChange(operations.save, options);
  const update = useChange(operations.update, options);
  // Users must not revoke their own rights or sign themselves out through this form.
  const oneself = administrator !== undefined && administrator.id === session?.accountId;
  const isLast = useIsLast({ operations, codes });
  const isBound = administrator !== undefined && isLast(administrator) === true;
  const [first] = useState(() => ({
    adminType: codes.adminType.plain,
    status: codes.status.on,
    password: makePassword(),
    rights: ownRights(session, operations.save.service),
    scope: session?.scope ?? null,
  }));
  const personal: Field[] = [{ kind: "text", name: "name", label: t.realName, required: true, max: 255 }];
  const status: Field = {
    kind: "choices",
    name: "status",
    label: t.status,
    disabled: isBound,
    help: administrator?.fromSignOn && r.follows,
    options: (["on", "off"] as const).map((state) => ({ value: codes.status[state], label: t.statuses[state] })),
  };
  const others: Field[] = [
    {
      kind: "own",
      name: "rights",
      label: r.rights,
      help: r.help,
      control: <RightsTable services={[operations.save.service]} />,
    },
    {
      kind: "own",
      name: "scope",
      label: s.scope,
      help: s.help,
      control: <ScopeFields services={[operations.save.service]} />,
    },
    status,
    {
      kind: "password",
      name: "password",
      label: t.password,
      min: 8,
      max: 128,
      given: true,
      required: !administrator && !isPersonal,
      help: administrator ? t.passwordKeep : isPersonal ? t.passwordMayWait : t.passwordHelp,
    },
  ];
  const fields: Field[] = [
    { kind: "text", name: "userName", label: t.userName, required: true, max: 255 },
    ...(isPersonal ? personal : []),
    {
      kind: "choices",
      name: "adminType",
      label: t.adminType,
      disabled: oneself || isBound,
      help: isBound && t.lastSuper,
      options: (["plain", "super"] as const).map((role) => ({
        value: codes.adminType[role],
        label: t.adminTypes[role],
      })),
    },
    ...(oneself ? [] : others),
  ];
  return (
    <FormDrawer<Given>
      title={administrator ? t.editNamed(administrator.userName) : t.create}
      needs={administrator ? operations.update : operations.save}
      fields={administrator?.fromSignOn ? [status] : fields}
      initial={administrator ? toGiven(administrator) : first}
      onSave={({ password, ...given }, idempotencyKey) => {
        const body = { ...given, ...(password && { password }) };
        return administrator
          ? update.mutateAsync({ body: { ...body, id: administrator.id } } as never)
          : save.mutateAsync({ body, options: { idempotencyKey } } as never);
      }}
      onClose={onClose}
    />
  );
}

/**
 * Returns a function that tells whether an administrator is the last enabled super administrator, who cannot be deleted,
 * disabled or demoted. Accounts from the campus sign-on do not count. The function returns undefined while the
 * administrators load.
 */
function useIsLast({ operations, codes }: Pick<AdministratorsPageProps, "operations" | "codes">) {
  const page = operations.list.page === "currPage" ? { currPage: 1 } : { curPage: 1 };
  const { data } = useRead(operations.list, { query: { ...page, pageSize: 1000 } });
  const all = (data as { readonly list: readonly Administrator[] } | undefined)?.list;
  const isInCharge = ({ adminType, status, fromSignOn }: Administrator) =>
    adminType === codes.adminType.super && status === codes.status.on && !fromSignOn;
  const inCharge = all?.filter(isInCharge);
  return ({ id }: Administrator): boolean | undefined => inCharge && inCharge.length === 1 && inCharge[0]?.id === id;
}

const toGiven = ({ userName, name, adminType, status, rights, scope }: Administrator): Partial<Given> => ({
  userName,
  ...(name !== undefined && { name }),
  adminType,
  status,
  rights: rights ?? null,
  scope: scope ?? null,
});
