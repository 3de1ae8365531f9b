import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input } from "antd";
import { Status } from "#console/blocks/status.tsx";
import { useTexts } from "#shared/language/language.ts";
import { isItemName, type TypedItem } from "#console/pages/tuition-payment/payable.ts";
import { texts } from "#console/pages/tuition-payment/texts.ts";
import { formatFen, parseYuan, sumFen, writeYuan } from "#shared/money.ts";

const mostItems = 50;
const nothing: readonly TypedItem[] = [];

interface ItemsEditorProps {
  readonly id?: string;
  readonly value?: readonly TypedItem[];
  readonly onChange?: (items: readonly TypedItem[]) => void;
}

/** What is to be paid for, a row each, with its sum beside the amount that the form's `realPayAmount` holds. */
export function ItemsEditor({ id, value: items = nothing, onChange }: ItemsEditorProps) {
  const t = useTexts(texts);
  const change = (index: number, part: Partial<TypedItem>) =>
    onChange?.(items.map((item, at) => (at === index ? { ...item, ...part } : item)));
  return (
    <div className="q-tuition-items">
      {items.map(({ name, amount }, index) => (
        // Rows have nothing of their own but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="q-tuition-item">
          <Input
            {...(index === 0 && id !== undefined && { id })}
            aria-label={t.itemNameOf(index + 1)}
            placeholder={t.itemNameHelp}
            value={name}
            maxLength={64}
            // Never the whole field's: when the sum is wrong, no row is.
            status={name !== "" && !isItemName(name) ? "error" : "success"}
            onChange={({ target }) => change(index, { name: target.value })}
          />
          <MoneyInput
            label={t.itemAmountOf(index + 1)}
            value={amount}
            onChange={(next) => change(index, { amount: next })}
          />
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden />}
            aria-label={t.removeItem(index + 1)}
            disabled={items.length === 1}
            onClick={() => onChange?.(items.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button
        type="dashed"
        icon={<PlusOutlined aria-hidden />}
        disabled={items.length >= mostItems}
        onClick={() => onChange?.([...items, { name: "", amount: "" }])}
      >
        {t.addItem}
      </Button>
      <Sum items={items} />
    </div>
  );
}

interface MoneyInputProps {
  readonly id?: string;
  readonly label?: string;
  readonly value?: string;
  readonly onChange?: (typed: string) => void;
}

/** An amount in yuan, kept as it is typed: a number would lose what is not one yet. */
export function MoneyInput({ id, label, value = "", onChange }: MoneyInputProps) {
  return (
    <Input
      {...(id !== undefined && { id })}
      {...(label !== undefined && { "aria-label": label })}
      className="q-tuition-money"
      prefix="¥"
      inputMode="decimal"
      placeholder="0.00"
      maxLength={20}
      value={value}
      status={value !== "" && parseYuan(value) === undefined ? "error" : "success"}
      onChange={({ target }) => onChange?.(target.value)}
    />
  );
}

function Sum({ items }: { readonly items: readonly TypedItem[] }) {
  const t = useTexts(texts);
  const form = Form.useFormInstance();
  const typed = Form.useWatch<string | undefined>("realPayAmount", form);
  const sum = sumFen(items.map(({ amount }) => amount).filter((amount) => amount !== ""));
  const amountFen = parseYuan(typed ?? "");
  const difference = sum === undefined || amountFen === undefined ? undefined : sum - amountFen;
  const take = () => {
    if (sum !== undefined) form.setFieldValue("realPayAmount", writeYuan(sum));
    void form.validateFields(["realPayAmount", "payItemDetail"]).catch(() => undefined);
  };
  return (
    <div className="q-tuition-sum" role="status">
      <span>
        {t.sum} <strong className="q-figures">{sum === undefined ? "—" : formatFen(sum)}</strong>
      </span>
      {difference === 0 && <Status tone="success">{t.sumAgrees}</Status>}
      {difference !== undefined && difference !== 0 && (
        <Status tone="error">
          {difference > 0 ? t.sumOver(formatFen(difference)) : t.sumUnder(formatFen(-difference))}
        </Status>
      )}
      {sum !== undefined && sum > 0 && difference !== 0 && (
        <Button type="link" size="small" onClick={take}>
          {t.takeSum}
        </Button>
      )}
    </div>
  );
}
