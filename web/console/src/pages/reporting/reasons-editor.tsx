import { Button } from "antd";
import { useState } from "react";
import { reporting } from "#shared/api/reporting.ts";
import { IfMay } from "#console/blocks/buttons.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/reporting/texts.ts";

const toLines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

export function ReasonsEditor({ reasons }: { readonly reasons: readonly string[] }) {
  const t = useTexts();
  const [isOpen, setOpen] = useState(false);
  const change = useChange(reporting.setReasons, { done: t.reasonsSaved, quiet: true });
  const check = (text: unknown) => {
    const lines = toLines(typeof text === "string" ? text : "");
    return lines.length > 9 || lines.some((line) => line.length > 200) ? t.reasonsTooMany : undefined;
  };
  return (
    <IfMay operation={reporting.setReasons}>
      <Button type="link" size="small" onClick={() => setOpen(true)}>
        {t.reasonsEdit}
      </Button>
      {isOpen && (
        <FormDrawer<{ reasons?: string }>
          title={t.reasons}
          needs={reporting.setReasons}
          fields={[{ kind: "multiline", name: "reasons", label: t.reasons, help: t.reasonsHelp, check }]}
          initial={{ reasons: reasons.join("\n") }}
          onSave={({ reasons: text = "" }) => change.mutateAsync({ body: { reasons: toLines(text) } })}
          onClose={() => setOpen(false)}
        />
      )}
    </IfMay>
  );
}
