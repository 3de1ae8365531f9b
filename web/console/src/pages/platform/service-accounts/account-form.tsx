import type { RecordOf } from "#shared/call/operation.ts";
import { platform } from "#shared/api/platform.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { RightsTable } from "#console/blocks/rights/rights-table.tsx";
import { texts as rightsTexts } from "#console/blocks/rights/texts.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/platform/service-accounts/texts.ts";
import { useSession } from "#console/session/session.ts";

export type ServiceAccount = RecordOf<typeof platform.listServiceAccounts>;

type Given = Pick<ServiceAccount, "userName" | "name" | "rights" | "status">;

interface AccountFormProps {
  readonly account: ServiceAccount | undefined;
  readonly onClose: () => void;
}

/** Makes a service account or changes one; its keys follow at once. */
export function AccountForm({ account, onClose }: AccountFormProps) {
  const t = useTexts(texts);
  const r = useTexts(rightsTexts);
  const services = useSession()?.services ?? [];
  const options = { done: t.saved, quiet: true };
  const create = useChange(platform.createServiceAccount, options);
  const update = useChange(platform.updateServiceAccount, options);
  const fields: Field[] = [
    { kind: "text", name: "userName", label: t.userName, required: true, max: 255 },
    { kind: "text", name: "name", label: t.purpose, help: t.purposeHelp, max: 255 },
    {
      kind: "own",
      name: "rights",
      label: r.rights,
      control: <RightsTable isExplicit services={["platform", ...services]} />,
    },
    {
      kind: "choices",
      name: "status",
      label: t.status,
      options: (["1", "0"] as const).map((value) => ({ value, label: t.statuses[value] })),
    },
  ];
  return (
    <FormDrawer<Given>
      title={account ? t.editNamed(account.userName) : t.create}
      needs={account ? platform.updateServiceAccount : platform.createServiceAccount}
      fields={fields}
      initial={account ? toGiven(account) : { rights: [], status: "1" }}
      onSave={(given, idempotencyKey) =>
        account
          ? update.mutateAsync({ body: { ...given, id: account.id } })
          : create.mutateAsync({ body: given, options: { idempotencyKey } })
      }
      onClose={onClose}
    />
  );
}

const toGiven = ({ userName, name, rights, status }: ServiceAccount): Given => ({ userName, name, rights, status });
