import { Input } from "antd";
import { parseYuan } from "#shared/money.ts";
import "#console/pages/tuition-payment/tuition.css";

interface MoneyInputProps {
  readonly id?: string;
  readonly label?: string;
  readonly value?: string;
  readonly onChange?: (typed: string) => void;
}

/** The amount in yuan is text, since a number would lose incomplete input. */
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
