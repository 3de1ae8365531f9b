import { reporting } from "#shared/api/reporting.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useBatch } from "#console/blocks/use-batch.ts";
import { call } from "#console/call/call.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Report } from "#console/pages/reporting/report.ts";
import { texts } from "#console/pages/reporting/texts.ts";

interface Verdict {
  readonly valid: 1 | 2;
  readonly ps?: string;
}

interface JudgeDrawerProps {
  readonly reports: readonly Report[];
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

/** A verdict with a remark on one report, or on several. */
export function JudgeDrawer({ reports, onClose, onDone }: JudgeDrawerProps) {
  const t = useTexts(texts);
  const options = { done: t.judged, quiet: true };
  const markValid = useChange(reporting.markValid, options);
  const markInvalid = useChange(reporting.markInvalid, options);
  const batch = useBatch("reporting");
  const [only] = reports;
  const fields: Field[] = [
    {
      kind: "choices",
      name: "valid",
      label: t.valid,
      required: true,
      options: ([1, 2] as const).map((value) => ({ value, label: t.verdicts[value] })),
    },
    { kind: "multiline", name: "ps", label: t.ps, max: 200, help: t.psHelp },
  ];
  const save = async ({ valid, ps }: Verdict) => {
    const body = { ...(ps && { ps }) };
    if (reports.length === 1 && only) {
      await (valid === 1 ? markValid : markInvalid).mutateAsync({ body: { itemId: only.id, ...body } });
    } else {
      await batch(reports, ({ id: itemId }) =>
        valid === 1
          ? call(reporting.markValid, { body: { itemId, ...body } })
          : call(reporting.markInvalid, { body: { itemId, ...body } }),
      );
    }
    onDone?.();
  };
  const single = reports.length === 1 && only ? only : undefined;
  return (
    <FormDrawer<Verdict>
      title={single ? t.judgeNamed(single.entryName) : t.judgeTitle(reports.length)}
      needs={reporting.markValid}
      fields={fields}
      initial={single && single.valid !== 0 ? { valid: single.valid, ...(single.ps && { ps: single.ps }) } : {}}
      onSave={save}
      onClose={onClose}
      saveText={t.judge}
    >
      <p className="q-soft">{t.judgeAbout}</p>
    </FormDrawer>
  );
}
