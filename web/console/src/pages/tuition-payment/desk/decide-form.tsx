import { Alert, Button, Form, Input, Space } from "antd";
import { useEffect, useRef } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { useChange } from "#console/call/use-call.ts";
import {
  actionOf,
  type Decision,
  type DeskRow,
  fieldOf,
  showMoney,
  sumOf,
} from "#console/pages/tuition-payment/desk/desk-row.ts";
import { useTexts } from "#console/pages/tuition-payment/desk/texts.ts";
import type { Order } from "#console/pages/tuition-payment/orders/order.tsx";
import { useOrderTexts } from "#console/pages/tuition-payment/texts.ts";
import { useMay } from "#console/session/session.ts";

interface DecideFormProps {
  readonly row: DeskRow;
  readonly step: Decision;
  readonly order: Order | undefined;
  readonly onDone: () => void;
  readonly onGivenUp: () => void;
}

export function DecideForm({ row, step, order, onDone, onGivenUp }: DecideFormProps) {
  const t = useTexts();
  const confirm = useRef<HTMLButtonElement>(null);
  const { noNumber } = useOrderTexts();
  const { decide, error, isPending } = useDecision(row, step);
  const field = fieldOf[step];
  const who = order && t.who(order.studentName, order.studentNo ?? noNumber);
  // The student must be shown before any money moves.
  const isReady = who !== undefined || step === "note";
  // autoFocus would not work, since the order may load later and a disabled button cannot take the focus.
  useEffect(() => {
    if (isReady && field === undefined) confirm.current?.focus();
  }, [isReady, field]);
  const save = ({ text = "" }: { readonly text?: string }) => {
    if (!isPending && isReady) decide(text.trim(), onDone);
  };
  return (
    <Form
      className="q-desk-decide"
      initialValues={{ text: field === "note" ? lastNotes.get(row.kind) : undefined }}
      onFinish={save}
      onKeyDown={({ key, nativeEvent }) => key === "Escape" && !nativeEvent.isComposing && onGivenUp()}
    >
      <p role="status">
        <strong>{isReady ? t.readBack[step](showMoney(sumOf(row)), who ?? "") : "…"}</strong>
      </p>
      {error && <Alert type="error" showIcon title={error.message} className="q-form-failure" />}
      {field && (
        <Form.Item
          name="text"
          label={t.fields[field]}
          {...(field !== "reason" && {
            rules: [{ required: true, whitespace: true, message: t.missing(t.fields[field]) }],
          })}
        >
          <Input autoFocus maxLength={200} placeholder={t.helps[field]} onFocus={({ target }) => target.select()} />
        </Form.Item>
      )}
      <Space>
        <Button type="primary" htmlType="submit" ref={confirm} loading={isPending} disabled={!isReady}>
          {t.confirm}
          <kbd aria-hidden data-key="⏎" />
        </Button>
        <Button onClick={onGivenUp}>
          {t.giveUp}
          <kbd aria-hidden data-key="Esc" />
        </Button>
      </Space>
    </Form>
  );
}

/** Most of a day's differences share a cause, so the form suggests the last note for the kind of case. */
const lastNotes = new Map<DeskRow["kind"], string>();

function useDecision(row: DeskRow, step: Decision) {
  const t = useTexts();
  const may = useMay();
  const act = useChange(tuitionPayment.actAtDesk, { done: t.done, quiet: true });
  const handle = useChange(tuitionPayment.handleReconciliation, { done: t.done, quiet: true });
  const field = fieldOf[step];
  const decide = (text: string, onSuccess: () => void) => {
    if (field === "note") lastNotes.set(row.kind, text);
    if (may(tuitionPayment.actAtDesk)) {
      const params = { id: row.id, action: actionOf[step] };
      act.mutate({ params, body: field && text !== "" ? { [field]: text } : {} }, { onSuccess });
    } else handle.mutate({ params: { id: Number(row.id.slice(1)) }, body: { note: text } }, { onSuccess });
  };
  return { decide, error: act.error ?? handle.error, isPending: act.isPending || handle.isPending };
}
