import type { RecordOf } from "#shared/call/operation.ts";
import { Form } from "antd";
import { useState } from "react";
import { platform } from "#shared/api/platform.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { makePassword } from "#console/blocks/new-password.tsx";
import { RightsTable } from "#console/blocks/rights/rights-table.tsx";
import { ownRights, type Rights } from "#console/blocks/rights/rights.ts";
import { texts as rightsTexts } from "#console/blocks/rights/texts.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/platform/texts.ts";
import { useServiceNames } from "#console/sections.ts";
import { useSession } from "#console/session/session.ts";

export type Operator = RecordOf<typeof platform.listOperators>;

interface Given {
  readonly userName: string;
  readonly name: string;
  readonly services: string[];
  readonly rights?: string[] | null;
  readonly status: "0" | "1";
  readonly password?: string;
}

interface OperatorFormProps {
  readonly operator: Operator | undefined;
  readonly onClose: () => void;
}

/** Makes an operator or changes one; nobody gives more services or rights than they have. */
export function OperatorForm({ operator, onClose }: OperatorFormProps) {
  const t = useTexts(texts);
  const r = useTexts(rightsTexts);
  const nameService = useServiceNames();
  const session = useSession();
  const options = { done: t.saved, quiet: true };
  const create = useChange(platform.createOperator, options);
  const update = useChange(platform.updateOperator, options);
  const own = session?.services ?? [];
  const [first] = useState(() => ({
    services: [],
    rights: ownRights(session, "platform", ...own) as string[] | null,
    status: "1" as const,
    password: makePassword(),
  }));
  // Nobody takes their own rights away, nor signs themselves out by way of this form.
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

/** The table of what is chosen above it. */
function OperatorRights(item: {
  readonly value?: Rights;
  readonly onChange?: (value: readonly string[] | null) => void;
}) {
  const services = (Form.useWatch("services") as string[] | undefined) ?? [];
  return <RightsTable {...item} services={["platform", ...services]} />;
}

const toGiven = ({ userName, name, services, rights = null, status }: Operator) => ({
  userName,
  name,
  services,
  rights,
  status,
});
