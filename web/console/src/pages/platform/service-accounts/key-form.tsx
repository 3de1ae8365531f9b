import { platform } from "#shared/api/platform.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { RightsTable } from "#console/blocks/rights/rights-table.tsx";
import { texts as rightsTexts } from "#console/blocks/rights/texts.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import type { ServiceAccount } from "#console/pages/platform/service-accounts/account-form.tsx";
import { texts } from "#console/pages/platform/service-accounts/texts.ts";

interface Given {
  readonly name: string;
  readonly days: number;
  readonly networks?: string[];
  readonly rights: string[];
}

interface KeyFormProps {
  readonly account: ServiceAccount;
  readonly onMade: (key: string) => void;
  readonly onClose: () => void;
}

/** Makes a key of an account, with all of its rights or fewer. */
export function KeyForm({ account, onMade, onClose }: KeyFormProps) {
  const t = useTexts(texts);
  const r = useTexts(rightsTexts);
  const create = useChange(platform.createAccessKey, { quiet: true });
  const services = [...new Set(account.rights.map((right) => right.slice(0, right.lastIndexOf("."))))];
  const fields: Field[] = [
    { kind: "text", name: "name", label: t.keyName, required: true, max: 100 },
    { kind: "number", name: "days", label: t.days, required: true, min: 1, max: 365, precision: 0, unit: t.dayUnit },
    { kind: "tags", name: "networks", label: t.networks, help: t.networksHelp },
    {
      kind: "own",
      name: "rights",
      label: r.rights,
      help: t.narrower,
      control: <RightsTable isExplicit services={services} within={account.rights} />,
    },
  ];
  return (
    <FormDrawer<Given>
      title={t.createKey}
      needs={platform.createAccessKey}
      fields={fields}
      initial={{ days: 90, rights: [...account.rights] }}
      onSave={async ({ networks, rights, ...given }) => {
        const fewer = rights.length < account.rights.length && { rights };
        const from = networks && networks.length > 0 && { networks };
        onMade((await create.mutateAsync({ body: { accountId: account.id, ...given, ...fewer, ...from } })).key);
      }}
      onClose={onClose}
    />
  );
}
