import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { Button, Form } from "antd";
import { useState } from "react";
import { platform } from "#shared/api/platform.ts";
import { joinWords } from "#console/blocks/format.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
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
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/platform/texts.ts";
import { allSections, useServiceNames } from "#console/sections.ts";
import { useFactorColumn } from "#console/session/second-factor/holders.tsx";
import { type Session, useSession } from "#console/session/session.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { makePassword } from "#console/blocks/new-password.tsx";

export function OperatorsPage() {
  const t = useTexts();
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
          <IfMay operation={platform.createOperator}>
            <Button type="primary" onClick={() => setEditing("new")}>
              {t.createOperator}
            </Button>
          </IfMay>
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
  const t = useTexts();
  const r = useRightsTexts();
  const sayRights = useRightsWords();
  const sayScope = useScopeWords();
  const nameService = useServiceNames();
  const session = useSession();
  const confirm = useConfirm();
  const { columns: factorColumns, resetAction } = useFactorColumn<Operator>("platform");
  const remove = useChange(platform.deleteOperators, { done: t.removed });
  const ask = ({ id, userName }: Operator) =>
    confirm({
      title: t.removeOperatorTitle(userName),
      needs: platform.deleteOperators,
      about: t.removeOperatorAbout,
      work: () => remove.mutateAsync({ body: [id] }),
    });
  return [
    { field: "userName", title: t.userName, width: 140, sortable: true, render: (row) => <AccountName {...row} /> },
    { field: "name", title: t.name, width: 110, sortable: true },
    {
      field: "services",
      title: t.ofServices,
      width: 170,
      wraps: true,
      render: ({ services }) =>
        // `allSections` includes the platform itself.
        services.length === allSections.length - 1 ? t.all : joinWords(services.map(nameService)) || t.onlyPlatform,
    },
    {
      field: "rights",
      title: r.rights,
      width: 230,
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
      render: ({ status }) => <Status tone={status === "1" ? "success" : "default"}>{t.statuses[status]}</Status>,
    },
    ...factorColumns,
    { field: "createTime", title: t.createTime, width: 165, sortable: true, hidden: true },
    actionColumn(t.actions, 190, (row) => (
      <>
        {mayManage(session, row) && (
          <>
            <RowAction needs={platform.updateOperator} label={t.editOperator(row.userName)} onClick={() => edit(row)}>
              {t.edit}
            </RowAction>
            {resetAction(row)}
            {row.id !== session?.accountId && (
              <RowAction
                needs={platform.deleteOperators}
                danger
                label={t.removeOperator(row.userName)}
                onClick={() => ask(row)}
              >
                {t.remove}
              </RowAction>
            )}
          </>
        )}
        <RecordHistory of={auditedAccount(row.id)} name={row.userName} />
      </>
    )),
  ];
}

const mayManage = (session: Session | null, { services, rights }: Operator): boolean =>
  services.every((name) => session?.services.includes(name)) &&
  (!session?.rights ||
    session.duty !== undefined ||
    rights?.every((right) => session.rights?.includes(right)) === true);

type Operator = RecordOf<typeof platform.listOperators>;

interface Given {
  readonly userName: string;
  readonly name: string;
  readonly services: string[];
  readonly rights?: string[] | null;
  readonly scope?: Scope;
  readonly status: "0" | "1";
  readonly password?: string;
}

interface OperatorFormProps {
  readonly operator: Operator | undefined;
  readonly onClose: () => void;
}

function OperatorForm({ operator, onClose }: OperatorFormProps) {
  const t = useTexts();
  const r = useRightsTexts();
  const s = useScopeTexts();
  const nameService = useServiceNames();
  const session = useSession();
  const options = { done: t.saved, quiet: true };
  const create = useChange(platform.createOperator, options);
  const update = useChange(platform.updateOperator, options);
  const own = session?.services ?? [];
  const [first] = useState(() => ({
    services: [],
    rights: ownRights(session, "platform", ...own) as string[] | null,
    scope: session?.scope ?? null,
    status: "1" as const,
    password: makePassword(),
  }));
  const oneself = operator !== undefined && operator.id === session?.accountId;
  const status: Field = {
    kind: "choices",
    name: "status",
    label: t.status,
    help: operator?.fromSignOn && r.follows,
    options: (["1", "0"] as const).map((value) => ({ value, label: t.statuses[value] })),
  };
  const rights: Field[] = [
    {
      kind: "select",
      several: true,
      name: "services",
      label: t.ofServices,
      help: t.ofServicesHelp,
      placeholder: t.onlyPlatform,
      options: own.map((value) => ({ value, label: nameService(value) })),
    },
    { kind: "own", name: "rights", label: r.rights, help: r.help, control: <OperatorRights /> },
    { kind: "own", name: "scope", label: s.scope, help: s.help, control: <OperatorScope /> },
    status,
    {
      kind: "password",
      name: "password",
      label: t.password,
      required: !operator,
      given: true,
      min: 8,
      max: 128,
      help: operator ? t.passwordKeep : t.passwordNew,
    },
  ];
  const fields: Field[] = [
    { kind: "text", name: "userName", label: t.userName, required: true, max: 255 },
    { kind: "text", name: "name", label: t.name, max: 255 },
    ...(oneself ? [] : rights),
  ];
  const save = ({ password, ...given }: Given, idempotencyKey: string) =>
    operator
      ? update.mutateAsync({ body: { ...given, id: operator.id, ...(password && { password }) } })
      : create.mutateAsync({ body: { ...given, password: password ?? "" }, options: { idempotencyKey } });
  return (
    <FormDrawer<Given>
      title={operator ? t.editOperator(operator.userName) : t.createOperator}
      needs={operator ? platform.updateOperator : platform.createOperator}
      fields={operator?.fromSignOn ? [status] : fields}
      initial={operator ? toGiven(operator) : first}
      onSave={save}
      onClose={onClose}
    />
  );
}

function OperatorRights(item: {
  readonly value?: Rights;
  readonly onChange?: (value: readonly string[] | null) => void;
}) {
  const services = (Form.useWatch("services") as string[] | undefined) ?? [];
  return <RightsTable {...item} services={["platform", ...services]} />;
}

function OperatorScope(item: { readonly value?: Scope; readonly onChange?: (value: Scope) => void }) {
  const services = (Form.useWatch("services") as string[] | undefined) ?? [];
  return <ScopeFields {...item} services={services} />;
}

const toGiven = ({ userName, name, services, rights = null, scope = null, status }: Operator) => ({
  userName,
  name,
  services,
  rights,
  scope,
  status,
});
