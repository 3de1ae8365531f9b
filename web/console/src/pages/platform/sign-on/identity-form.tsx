import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useChange } from "#console/call/use-call.ts";
import { texts } from "#console/pages/platform/sign-on/texts.ts";
import { useAccountNames } from "#console/sections.ts";
import { accounts } from "#console/session/accounts.ts";
import { type Provider, signOnOffer } from "#console/session/sign-on.ts";
import { platform } from "#shared/api/platform.ts";
import { useTexts } from "#shared/language/language.ts";

interface Given {
  readonly provider: Provider;
  readonly identity: string;
  readonly service: "platform";
  readonly userName: string;
}

/** Has an identity of the campus open an account that is there. */
export function IdentityForm({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(texts);
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
