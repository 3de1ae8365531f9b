import { Alert, Button, Typography } from "antd";
import { useState } from "react";
import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import type { Field } from "#console/blocks/fields.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { useChange } from "#console/call/use-call.ts";
import { useServiceOptions } from "#console/pages/platform/service-options.ts";
import { useSignOnTexts as useTexts } from "#console/pages/platform/texts.ts";
import { useAccountNames, useServiceNames } from "#console/sections.ts";
import { type Provider, signOnOffer } from "#console/session/sign-on.ts";
import { platform } from "#shared/api/platform.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { accounts } from "#console/session/accounts.ts";

type Identity = RecordOf<typeof platform.listCampusIdentities>;

export function IdentitiesPage() {
  const t = useTexts();
  const [isAdding, setAdding] = useState(false);
  const isOff = signOnOffer.signOns.length === 0;
  const filters: Field[] = [
    { kind: "text", name: "identity", label: t.identity },
    { kind: "text", name: "userName", label: t.userName },
    { kind: "select", name: "service", label: t.service, options: useServiceOptions() },
  ];
  const add = (
    <IfMay operation={platform.addCampusIdentity}>
      <Button type="primary" onClick={() => setAdding(true)}>
        {t.add}
      </Button>
    </IfMay>
  );
  return (
    <>
      {isOff && <Alert type="info" showIcon title={t.off} className="q-failure" />}
      <ListPage
        title={t.title}
        about={t.about}
        name="platform/campus-identities"
        operation={platform.listCampusIdentities}
        filters={filters}
        columns={useColumns()}
        rowName={({ identity }) => identity}
        actions={isOff ? null : add}
        empty={{ title: t.none, about: t.noneAbout }}
      />
      {isAdding && <IdentityForm onClose={() => setAdding(false)} />}
    </>
  );
}

function useColumns(): Column<Identity>[] {
  const t = useTexts();
  const nameService = useServiceNames();
  const confirm = useConfirm();
  const remove = useChange(platform.deleteCampusIdentities, { done: t.removed });
  const ask = ({ id, identity }: Identity) =>
    confirm({
      title: t.removeTitle(identity),
      needs: platform.deleteCampusIdentities,
      about: t.removeAbout,
      verb: t.remove,
      work: () => remove.mutateAsync({ body: [id] }),
    });
  return [
    { field: "identity", title: t.identity, width: 170, sortable: true },
    {
      field: "provider",
      title: t.provider,
      width: 180,
      render: ({ provider, inUse }) => (
        <>
          {t.providers[provider]}
          {!inUse && <Typography.Text type="secondary">{` · ${t.notInUse}`}</Typography.Text>}
        </>
      ),
    },
    { field: "service", title: t.service, width: 120, sortable: true, render: ({ service }) => nameService(service) },
    { field: "userName", title: t.userName, width: 170, sortable: true },
    { field: "issuer", title: t.issuer, width: 240, hidden: true },
    { field: "createTime", title: t.createTime, width: 165, sortable: true },
    { field: "lastUseTime", title: t.lastUse, width: 165, sortable: true },
    actionColumn(
      t.actions,
      90,
      (row) =>
        row.changeable && (
          <RowAction
            needs={platform.deleteCampusIdentities}
            danger
            label={t.removeOf(row.identity)}
            onClick={() => ask(row)}
          >
            {t.remove}
          </RowAction>
        ),
    ),
  ];
}

interface Given {
  readonly provider: Provider;
  readonly identity: string;
  readonly service: "platform";
  readonly userName: string;
}

function IdentityForm({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts();
  const nameAccount = useAccountNames();
  const add = useChange(platform.addCampusIdentity, { done: t.saved, quiet: true });
  const providers: Field = {
    kind: "choices",
    name: "provider",
    label: t.provider,
    required: true,
    options: signOnOffer.signOns.map((value) => ({ value, label: t.providers[value] })),
  };
  const fields: Field[] = [
    providers,
    { kind: "text", name: "identity", label: t.identity, required: true, max: 255, help: t.identityHelp },
    {
      kind: "select",
      name: "service",
      label: t.service,
      required: true,
      options: accounts.map((value) => ({ value, label: nameAccount(value) })),
    },
    { kind: "text", name: "userName", label: t.userName, required: true, max: 255, help: t.userNameHelp },
  ];
  return (
    <FormDrawer<Given>
      title={t.add}
      needs={platform.addCampusIdentity}
      fields={fields}
      initial={{ ...(signOnOffer.signOns[0] && { provider: signOnOffer.signOns[0] }), service: "platform" }}
      onSave={(body, idempotencyKey) => add.mutateAsync({ body, options: { idempotencyKey } })}
      onClose={onClose}
    />
  );
}
