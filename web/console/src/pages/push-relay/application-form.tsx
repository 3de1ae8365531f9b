import { pushRelay } from "#shared/api/push-relay.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/push-relay/texts.ts";

export type Application = RecordOf<typeof pushRelay.listApplications>;

interface ApplicationFormProps {
  /** Left out for a new one. */
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

/** What the campus platform gave for an application. Its secret goes in and never comes out. */
export function ApplicationForm({ application, onClose }: ApplicationFormProps) {
  const t = useTexts(texts);
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
