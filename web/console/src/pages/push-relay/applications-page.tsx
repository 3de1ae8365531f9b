import { Alert, Button } from "antd";
import { useState } from "react";
import { pushRelay } from "#shared/api/push-relay.ts";
import { joinWords } from "#console/blocks/format.ts";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { toAddress } from "#shared/call/exchange.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/push-relay/texts.ts";
import { useMay } from "#console/session/session.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import "#console/pages/push-relay/push-relay.css";

export function ApplicationsPage() {
  const t = useTexts();
  const may = useMay();
  const [editing, setEditing] = useState<Application | "new">();
  const mayAdd = may(pushRelay.addApplication);
  const create = (
    <Button type="primary" onClick={() => setEditing("new")}>
      {t.createApplication}
    </Button>
  );
  return (
    <>
      <ListPage
        title={t.applications}
        about={t.applicationsAbout}
        name="push-relay/applications"
        operation={pushRelay.listApplications}
        columns={useColumns(setEditing)}
        actions={mayAdd && create}
        empty={{ title: t.noApplications, about: t.noApplicationsAbout, action: mayAdd && create }}
      >
        <ReceiveAddress />
        <ForgeryWarning />
      </ListPage>
      {editing !== undefined && (
        <ApplicationForm application={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
    </>
  );
}

function ReceiveAddress() {
  const t = useTexts();
  return (
    <section className="q-card q-push-receive" aria-labelledby="receive-address">
      <h2 id="receive-address">{t.receiveTitle}</h2>
      <CopyText text={location.origin + toAddress(pushRelay.receive.url)} label={t.address} />
      <p className="q-soft">{t.receiveAbout}</p>
    </section>
  );
}

/** Without a network limit or a secret, anyone who saw one of the application's pushes can forge another. */
const isForgeable = ({ allowedNetworks, secretRequired }: Application): boolean =>
  allowedNetworks.length === 0 && !secretRequired;

function ForgeryWarning() {
  const t = useTexts();
  const forgeable = useRead(pushRelay.listApplications, {}).data?.filter(isForgeable) ?? [];
  if (forgeable.length === 0) return null;
  const names = forgeable.map(({ name }) => t.quoted(name)).join(t.comma);
  return <Alert type="warning" showIcon role="note" title={t.forgeable(names)} className="q-push-warning" />;
}

function useColumns(edit: (application: Application) => void): Column<Application>[] {
  const t = useTexts();
  const may = useMay();
  const confirm = useConfirm();
  const remove = useChange(pushRelay.deleteApplication, { done: t.removed });
  const ask = ({ id, name }: Application) =>
    confirm({
      title: t.removeApplication(name),
      needs: pushRelay.deleteApplication,
      about: t.removeApplicationAbout,
      work: () => remove.mutateAsync({ query: { id } }),
    });
  const actions: Column<Application> = actionColumn(t.actions, 110, (row) => (
    <>
      <RowAction needs={pushRelay.updateApplication} label={t.editApplication(row.name)} onClick={() => edit(row)}>
        {t.edit}
      </RowAction>
      {may(pushRelay.deleteApplication) && (
        <RowAction needs={pushRelay.deleteApplication} danger label={t.removeNamed(row.name)} onClick={() => ask(row)}>
          {t.remove}
        </RowAction>
      )}
    </>
  ));
  return [
    { field: "name", title: t.application, width: 200 },
    { field: "appKey", title: t.appKey, width: 190, render: ({ appKey }) => <code>{appKey}</code> },
    { field: "schoolCode", title: t.schoolCode, width: 140 },
    {
      field: "allowedNetworks",
      title: t.networks,
      width: 280,
      render: (row) =>
        row.allowedNetworks.length > 0
          ? joinWords(row.allowedNetworks)
          : (isForgeable(row) && <Status tone="warning">{t.anywhere}</Status>) || t.anywhere,
    },
    {
      field: "secretRequired",
      title: t.secretColumn,
      width: 150,
      render: ({ secretRequired }) => (secretRequired ? t.secretMust : t.secretMay),
    },
    ...(may(pushRelay.updateApplication) ? [actions] : []),
  ];
}

type Application = RecordOf<typeof pushRelay.listApplications>;

interface ApplicationFormProps {
  readonly application: Application | undefined;
  readonly onClose: () => void;
}

interface Given {
  readonly name: string;
  readonly appKey: string;
  readonly appSecret?: string;
  readonly schoolCode: string;
  readonly allowedNetworks?: string[];
  readonly secretRequired?: boolean;
}

/** The application's secret can be set but not read. */
function ApplicationForm({ application, onClose }: ApplicationFormProps) {
  const t = useTexts();
  const options = { done: t.saved, quiet: true };
  const add = useChange(pushRelay.addApplication, options);
  const update = useChange(pushRelay.updateApplication, options);
  const fields: Field[] = [
    { kind: "text", name: "name", label: t.application, required: true, max: 255 },
    { kind: "text", name: "appKey", label: t.appKey, required: true, max: 255, help: t.appKeyHelp },
    {
      kind: "password",
      name: "appSecret",
      label: t.appSecret,
      required: !application,
      min: 16,
      max: 255,
      help: application ? t.appSecretKeep : t.appSecretHelp,
    },
    { kind: "text", name: "schoolCode", label: t.schoolCode, required: true, max: 255 },
    { kind: "tags", name: "allowedNetworks", label: t.networks, help: t.networksHelp },
    {
      kind: "switch",
      name: "secretRequired",
      label: t.secretRequired,
      help: t.secretRequiredHelp,
      off: false,
      on: true,
    },
  ];
  return (
    <FormDrawer<Given>
      title={application ? t.editApplication(application.name) : t.createApplication}
      needs={application ? pushRelay.updateApplication : pushRelay.addApplication}
      fields={fields}
      initial={application ? toGiven(application) : {}}
      onSave={({ appSecret = "", ...given }, idempotencyKey) =>
        application
          ? update.mutateAsync({ body: { ...given, ...(appSecret && { appSecret }), id: application.id } })
          : add.mutateAsync({ body: { ...given, appSecret }, options: { idempotencyKey } })
      }
      onClose={onClose}
    />
  );
}

const toGiven = ({ name, appKey, schoolCode, allowedNetworks, secretRequired }: Application): Given => ({
  name,
  appKey,
  schoolCode,
  allowedNetworks,
  secretRequired,
});
