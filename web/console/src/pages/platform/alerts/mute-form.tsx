import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useChange } from "#console/call/use-call.ts";
import type { AlertRow } from "#console/pages/platform/alerts/alert-drawer.tsx";
import { texts } from "#console/pages/platform/alerts/texts.ts";
import { platform } from "#shared/api/platform.ts";
import { useLanguage, useTexts } from "#shared/language/language.ts";

interface Given {
  readonly until: "hour" | "day" | "over";
  readonly reason: string;
}

/** Has nobody told of an alert for a while, with a word why. */
export function MuteForm({ alert, onClose }: { readonly alert: AlertRow; readonly onClose: () => void }) {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const mute = useChange(platform.muteAlert, { done: t.mutedDone, quiet: true });
  return (
    <FormDrawer<Given>
      title={t.mute}
      needs={platform.muteAlert}
      fields={[
        {
          kind: "choices",
          name: "until",
          label: t.muteUntil,
          required: true,
          options: (["hour", "day", "over"] as const).map((value) => ({ value, label: t.untils[value] })),
        },
        { kind: "text", name: "reason", label: t.reason, required: true, max: 255 },
      ]}
      initial={{ until: "hour" }}
      saveText={t.mute}
      onSave={(given) => mute.mutateAsync({ body: { id: alert.id, ...given } })}
      onClose={onClose}
    >
      <p>{alert.says[language]}</p>
      <p className="q-soft">{t.muteAbout}</p>
    </FormDrawer>
  );
}
