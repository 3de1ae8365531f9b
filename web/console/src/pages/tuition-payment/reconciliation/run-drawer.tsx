import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { formatInstant, today } from "#console/blocks/format.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { type GatewayName, gatewayNames } from "#console/pages/tuition-payment/orders/order.tsx";
import { texts as orderTexts } from "#console/pages/tuition-payment/orders/texts.ts";
import { useGateways } from "#console/pages/tuition-payment/orders/use-gateways.ts";
import type { Outcome } from "#console/pages/tuition-payment/reconciliation/difference.ts";
import { texts } from "#console/pages/tuition-payment/reconciliation/texts.ts";

interface Given {
  readonly gateway: GatewayName;
  readonly date: string;
}

interface RunDrawerProps {
  /** What is asked for at first; without a day, yesterday. */
  readonly gateway: GatewayName | undefined;
  readonly date: string | undefined;
  readonly onClose: () => void;
  readonly onDone: (outcome: Outcome) => void;
}

const dayMs = 86_400_000;

const yesterday = (): string => formatInstant(Date.now() - dayMs).slice(0, 10);

/** Compares a gateway's statement of a day with the orders. */
export function RunDrawer({ gateway, date, onClose, onDone }: RunDrawerProps) {
  const t = useTexts(texts);
  const { gateways } = useTexts(orderTexts);
  const configured = useGateways();
  // Whoever came from another's rows may ask for it all the same, and is told.
  const offered = gatewayNames.filter((name) => configured?.includes(name) !== false || name === gateway);
  const run = useChange(tuitionPayment.runReconciliation, { quiet: true });
  const fields: Field[] = [
    {
      kind: "choices",
      name: "gateway",
      label: t.gateway,
      required: true,
      options: offered.map((value) => ({ value, label: gateways[value] })),
    },
    {
      kind: "date",
      name: "date",
      label: t.date,
      required: true,
      check: (value) => (typeof value === "string" && value > today() ? t.afterToday : undefined),
    },
  ];
  return (
    <FormDrawer<Given>
      title={t.runTitle}
      needs={tuitionPayment.runReconciliation}
      fields={fields}
      initial={{
        date: date ?? yesterday(),
        ...(gateway !== undefined && { gateway }),
      }}
      onSave={async (body) => onDone(await run.mutateAsync({ body }))}
      onClose={onClose}
      saveText={t.run}
    >
      <p className="q-soft">{t.runAbout}</p>
    </FormDrawer>
  );
}
