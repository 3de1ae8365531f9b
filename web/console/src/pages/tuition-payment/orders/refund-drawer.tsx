import { Checkbox } from "antd";
import { useState } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useChange } from "#console/call/use-call.ts";
import { listItems, type Order, type OrderItem, sumItems } from "#console/pages/tuition-payment/orders/order.tsx";
import { usePayableWords } from "#console/pages/tuition-payment/payable.tsx";
import { useOrderTexts as useTexts } from "#console/pages/tuition-payment/texts.ts";
import { formatFen } from "#shared/money.ts";

interface Given {
  readonly reason: string;
  readonly items: readonly string[];
}

const nothing: readonly string[] = [];

export function RefundDrawer({ order, onClose }: { readonly order: Order; readonly onClose: () => void }) {
  const t = useTexts();
  const [left] = useState(() => listItems(order).filter(({ refund }) => refund === undefined));
  const [chosen, setChosen] = useState(nothing);
  const amount = formatFen(sumItems(left.filter(({ key }) => chosen.includes(key))));
  const { who } = usePayableWords();
  const refund = useChange(tuitionPayment.refundOrder, {
    done: ({ refunds }) => (refunds.at(-1)?.status === "asked" ? t.refundWaits(amount) : t.refundAsked(amount)),
    quiet: true,
  });
  const fields: Field[] = [
    {
      kind: "own",
      name: "items",
      label: t.refundChoice,
      check: (value) => ((value as readonly string[]).length === 0 ? t.refundNothing : undefined),
      control: <ItemChoice items={left} onChosen={setChosen} />,
    },
    { kind: "multiline", name: "reason", label: t.reason, required: true, max: 200, help: t.reasonHelp },
  ];
  const save = ({ reason, items }: Given) =>
    refund.mutateAsync({ params: { orderNo: order.orderNo }, body: { reason, ...toBody(left, items) } });
  return (
    <FormDrawer<Given>
      title={t.refundTitle(order.orderNo)}
      needs={tuitionPayment.refundOrder}
      fields={fields}
      initial={{ items: nothing }}
      readBack={() => t.refundReadBack(amount, who(order))}
      onSave={save}
      onClose={onClose}
      saveText={t.refundAmount(amount)}
    >
      <p className="q-soft">{t.refundAbout}</p>
    </FormDrawer>
  );
}

/** A full refund names no items, so that the server refunds whatever is left at that time. */
function toBody(left: readonly OrderItem[], keys: readonly string[]) {
  if (keys.length === left.length) return {};
  const items = left.filter(({ key }) => keys.includes(key)).map(({ payableId, name }) => ({ payableId, name }));
  return { items };
}

interface ItemChoiceProps {
  readonly items: readonly OrderItem[];
  readonly onChosen: (keys: readonly string[]) => void;
  readonly id?: string;
  readonly value?: readonly string[];
  readonly onChange?: (keys: readonly string[]) => void;
}

function ItemChoice({ items, onChosen, id, value = nothing, onChange }: ItemChoiceProps) {
  const t = useTexts();
  const choose = (keys: readonly string[]) => {
    onChange?.(keys);
    onChosen(keys);
  };
  return (
    <div className="q-stack q-order-choice" id={id} role="group" aria-label={t.refundChoice}>
      <Checkbox
        checked={value.length === items.length}
        indeterminate={value.length > 0 && value.length < items.length}
        onChange={({ target }) => choose(target.checked ? items.map(({ key }) => key) : [])}
      >
        {t.refundAll}
      </Checkbox>
      {items.map(({ key, years, name, amountFen }) => (
        <Checkbox
          key={key}
          checked={value.includes(key)}
          onChange={({ target }) => choose(target.checked ? [...value, key] : value.filter((one) => one !== key))}
        >
          <span className="q-order-choice-line">
            <span>
              {name} <span className="q-soft">{years}</span>
            </span>
            <span className="q-figures">{formatFen(amountFen)}</span>
          </span>
        </Checkbox>
      ))}
    </div>
  );
}
