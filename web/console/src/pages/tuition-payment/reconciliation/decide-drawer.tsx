import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useBatch } from "#console/blocks/use-batch.ts";
import { call } from "#console/call/call.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { reconciliationTexts as texts } from "#console/pages/tuition-payment/texts.ts";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";

interface DecideDrawerProps {
  readonly differences: readonly Difference[];
  readonly onClose: () => void;
  readonly onDone?: (() => void) | undefined;
}

export function DecideDrawer({ differences, onClose, onDone }: DecideDrawerProps) {
  const t = useTexts(texts);
  const batch = useBatch("tuition-payment");
  const decide = useChange(tuitionPayment.handleReconciliation, { done: t.decided, quiet: true });
  const [first] = differences;
  const only = differences.length === 1 ? first : undefined;
  const fields: Field[] = [
    { kind: "multiline", name: "note", label: t.note, required: true, max: 1000, placeholder: t.noteHelp },
  ];
  const save = async ({ note }: { readonly note: string }) => {
    if (only) await decide.mutateAsync({ params: { id: only.id }, body: { note } });
    else
      await batch(differences, ({ id }) =>
        call(tuitionPayment.handleReconciliation, { params: { id }, body: { note } }),
      );
    onDone?.();
  };
  const kinds = new Set(differences.map(({ type }) => type));
  return (
    <FormDrawer<{ readonly note: string }>
      title={only ? t.decideNamed(only.orderNo) : t.decideManyTitle(differences.length)}
      needs={tuitionPayment.handleReconciliation}
      fields={fields}
      onSave={save}
      onClose={onClose}
      saveText={t.decide}
    >
      {[...kinds].map((type) => (
        <p key={type}>{t.advice[type]}</p>
      ))}
      <p className="q-soft">{t.decideAbout}</p>
    </FormDrawer>
  );
}

export type Difference = RecordOf<typeof tuitionPayment.listReconciliation>;
export type Outcome = DataOf<typeof tuitionPayment.runReconciliation>;

export const types = ["long", "short", "mismatch"] as const satisfies readonly Difference["type"][];
