import { Button, Radio } from "antd";
import { useState } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { today } from "#console/blocks/format.ts";
import { useChange } from "#console/call/use-call.ts";
import { type Adjustment, adjustmentKinds } from "#console/pages/tuition-payment/adjustments/adjustment.ts";
import { type AdjustmentTexts, useTexts } from "#console/pages/tuition-payment/adjustments/texts.ts";
import { MoneyInput } from "#console/pages/tuition-payment/money-input.tsx";
import { type Payable, usePayableWords } from "#console/pages/tuition-payment/payable.tsx";
import { formatFen, parseYuan, sumFen, toFen, toYuan, writeYuan } from "#shared/money.ts";
import "#console/pages/tuition-payment/adjustments/adjustments.css";

type Kind = Adjustment["kind"];
type Amounts = Readonly<Record<string, string>>;
type DueItem = Payable["items"][number];

interface Given {
  readonly kind: Kind;
  readonly amounts?: Amounts;
  readonly until?: string;
  readonly evidence: string;
  readonly reason?: string;
}

interface AdjustDrawerProps {
  readonly payable: Pick<Payable, "id" | "studentName" | "studentNo" | "items">;
  readonly isWhole?: boolean;
  readonly onClose: () => void;
}

export function AdjustDrawer({ payable, isWhole = false, onClose }: AdjustDrawerProps) {
  const t = useTexts();
  const { who } = usePayableWords();
  const [kind, setKind] = useState<Kind>();
  // The items are those that were due when the form opened; the server refuses amounts above what is due.
  const [due] = useState(() => payable.items.filter((item) => item.due > 0));
  const [amounts, setAmounts] = useState<Amounts>(() => (isWhole ? toAll(due) : {}));
  const adjust = useChange(tuitionPayment.adjustPayable, { done: t.adjusted, quiet: true });
  const sum = formatFen(sumFen(listTyped(amounts)) ?? 0);
  const isDeferral = kind === "deferral";
  const readBack = (given: Given) =>
    given.kind === "deferral"
      ? t.readBackDeferral(given.until ?? "", who(payable))
      : t.readBack(t.kinds[given.kind], sum, who(payable));
  return (
    <FormDrawer<Given>
      title={t.adjustTitle(who(payable))}
      needs={tuitionPayment.adjustPayable}
      width={560}
      fields={[
        {
          kind: "own",
          name: "kind",
          label: t.kind,
          required: true,
          control: <KindChoice onChosen={setKind} />,
        },
        ...(isDeferral ? [toUntil(t)] : [toAmounts(due, setAmounts, t)]),
        { kind: "text", name: "evidence", label: t.evidence, required: true, max: 200, help: t.evidenceHelp },
        { kind: "multiline", name: "reason", label: t.reason, max: 200 },
      ]}
      {...(isWhole && { initial: { amounts } })}
      readBack={readBack}
      onSave={(given, idempotencyKey) =>
        adjust.mutateAsync({ params: { id: payable.id }, body: toBody(given), options: { idempotencyKey } })
      }
      onClose={onClose}
      saveText={kind === undefined ? t.adjust : isDeferral ? t.kinds.deferral : t.saveKind(t.kinds[kind], sum)}
    >
      <p className="q-soft">{t.adjustAbout}</p>
    </FormDrawer>
  );
}

const toAll = (due: readonly DueItem[]): Amounts =>
  Object.fromEntries(due.map((item) => [item.name, writeYuan(toFen(item.due))]));

const listTyped = (amounts: Amounts): string[] => Object.values(amounts).filter((typed) => typed !== "");

function toBody({ kind, amounts = {}, until, evidence, reason = "" }: Given) {
  const items = Object.entries(amounts)
    .filter(([, typed]) => typed !== "")
    .map(([name, typed]) => ({ name, amount: toYuan(parseYuan(typed) ?? 0) }));
  return { kind, evidence, reason, ...(kind === "deferral" ? { until } : { items }) };
}

const toUntil = (t: AdjustmentTexts): Field => ({
  kind: "date",
  name: "until",
  label: t.until,
  required: true,
  check: (value) => (typeof value === "string" && value < today() ? t.early : undefined),
});

const toAmounts = (due: readonly DueItem[], onTyped: (amounts: Amounts) => void, t: AdjustmentTexts): Field => ({
  kind: "own",
  name: "amounts",
  label: t.adjustItems,
  check: (value) => findFault(due, (value ?? {}) as Amounts, t),
  control: <AmountsEditor due={due} onTyped={onTyped} />,
});

function findFault(due: readonly DueItem[], amounts: Amounts, t: AdjustmentTexts): string | undefined {
  for (const item of due) {
    const typed = amounts[item.name] ?? "";
    const fen = parseYuan(typed);
    if (typed !== "" && !fen) return t.amountWrong(item.name);
    if (fen !== undefined && fen > toFen(item.due)) return t.tooMuch(item.name, formatFen(toFen(item.due)));
  }
  return listTyped(amounts).length === 0 ? t.nothing : undefined;
}

interface KindChoiceProps {
  readonly kinds?: readonly Kind[];
  readonly onChosen?: (kind: Kind) => void;
  // The form field sets these properties.
  readonly id?: string;
  readonly value?: Kind;
  readonly onChange?: (kind: Kind) => void;
}

export function KindChoice({ kinds = adjustmentKinds, onChosen, id, value, onChange }: KindChoiceProps) {
  const t = useTexts();
  return (
    <Radio.Group
      {...(id !== undefined && { id })}
      value={value}
      options={kinds.map((kind) => ({ value: kind, label: t.kinds[kind] }))}
      onChange={({ target }) => {
        onChange?.(target.value as Kind);
        onChosen?.(target.value as Kind);
      }}
    />
  );
}

interface AmountsEditorProps {
  readonly due: readonly DueItem[];
  readonly onTyped: (amounts: Amounts) => void;
  readonly id?: string;
  readonly value?: Amounts;
  readonly onChange?: (amounts: Amounts) => void;
}

const none: Amounts = {};

function AmountsEditor({ due, onTyped, id, value = none, onChange }: AmountsEditorProps) {
  const t = useTexts();
  const type = (amounts: Amounts) => {
    onChange?.(amounts);
    onTyped(amounts);
  };
  const sum = formatFen(due.reduce((fen, item) => fen + toFen(item.due), 0));
  return (
    <div className="q-stack" id={id} role="group" aria-label={t.adjustItems}>
      {due.map((item) => (
        <div key={item.name} className="q-adjust-item">
          <span>
            {item.name} <span className="q-soft">{t.dueOf(formatFen(toFen(item.due)))}</span>
          </span>
          <MoneyInput
            label={t.amountOf(item.name)}
            value={value[item.name] ?? ""}
            onChange={(typed) => type({ ...value, [item.name]: typed })}
          />
        </div>
      ))}
      <Button className="q-adjust-all" onClick={() => type(toAll(due))}>
        {t.allDue(sum)}
      </Button>
    </div>
  );
}
