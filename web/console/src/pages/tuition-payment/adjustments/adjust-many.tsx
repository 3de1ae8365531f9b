import { Button } from "antd";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { IfMay } from "#console/blocks/buttons.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useBatch } from "#console/blocks/use-batch.ts";
import { call } from "#console/call/call.ts";
import { type Adjustment, adjustmentKinds } from "#console/pages/tuition-payment/adjustments/adjustment.ts";
import { KindChoice } from "#console/pages/tuition-payment/adjustments/adjust-drawer.tsx";
import { useTexts } from "#console/pages/tuition-payment/adjustments/texts.ts";
import type { Payable } from "#console/pages/tuition-payment/payable.tsx";
import { useTexts as usePayableTexts } from "#console/pages/tuition-payment/texts.ts";
import { formatFen, toFen } from "#shared/money.ts";

interface AdjustButtonProps {
  readonly payables: readonly Payable[];
  readonly onPress: (due: readonly Payable[]) => void;
}

export function AdjustButton({ payables, onPress }: AdjustButtonProps) {
  const t = usePayableTexts();
  const due = payables.filter((payable) => payable.due > 0);
  return (
    <IfMay operation={tuitionPayment.adjustPayable}>
      <Button size="small" disabled={due.length === 0} onClick={() => onPress(due)}>
        {t.recordCount(due.length)}
      </Button>
    </IfMay>
  );
}

interface Given {
  readonly kind: Adjustment["kind"];
  readonly evidence: string;
  readonly reason?: string;
}

export interface AdjustManyProps {
  readonly payables: readonly Payable[];
  readonly onDone: (failed: readonly Payable[]) => void;
  readonly onClose: () => void;
}

const moneyKinds = adjustmentKinds.filter((kind) => kind !== "deferral");

export function AdjustMany({ payables, onDone, onClose }: AdjustManyProps) {
  const t = useTexts();
  const { listNames } = usePayableTexts();
  const batch = useBatch("tuition-payment");
  const sum = formatFen(payables.reduce((fen, { due }) => fen + toFen(due), 0));
  const save = async (body: Given) =>
    onDone(await batch(payables, ({ id }) => call(tuitionPayment.adjustPayable, { params: { id }, body })));
  return (
    <FormDrawer<Given>
      title={t.manyTitle(payables.length)}
      needs={tuitionPayment.adjustPayable}
      width={560}
      fields={[
        { kind: "own", name: "kind", label: t.kind, required: true, control: <KindChoice kinds={moneyKinds} /> },
        { kind: "text", name: "evidence", label: t.evidence, required: true, max: 200, help: t.evidenceHelp },
        { kind: "multiline", name: "reason", label: t.reason, max: 200 },
      ]}
      readBack={({ kind }) => t.manyReadBack(t.kinds[kind], payables.length, sum)}
      onSave={save}
      onClose={onClose}
      saveText={t.allDue(sum)}
    >
      <p>{listNames([...new Set(payables.map(({ studentName }) => studentName))])}</p>
      <p className="q-soft">{t.adjustAbout}</p>
    </FormDrawer>
  );
}
