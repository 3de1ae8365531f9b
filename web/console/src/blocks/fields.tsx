import { AutoComplete, DatePicker, Form, type FormRule, Input, InputNumber, Radio, Select, Switch } from "antd";
import dayjs from "dayjs";
import { type ReactNode, useState } from "react";
import { NewPassword } from "#console/blocks/new-password.tsx";
import { useTexts } from "#console/blocks/texts.ts";

export interface Option {
  readonly value: string | number;
  readonly label: string;
}

interface Named {
  /** The API's field name, by which the server's validation errors find the field. */
  readonly name: string;
  readonly label: string;
}

/** The value of a field has the API's format, except for `span`. */
export type Field = Named & {
  readonly required?: boolean;
  readonly help?: ReactNode;
  readonly placeholder?: string;
  readonly wide?: boolean;
  readonly disabled?: boolean;
  /** Returns the value's validation error, or undefined. @param given all values of the form */
  readonly check?: (value: unknown, given: Readonly<Record<string, unknown>>) => string | undefined;
  readonly dependsOn?: readonly string[];
} & (
    | {
        readonly kind: "text" | "multiline";
        readonly max?: number;
        readonly min?: number;
        readonly existing?: readonly string[];
      }
    | {
        readonly kind: "password";
        readonly max?: number;
        readonly min?: number;
        /** True for a password set for another person: it is visible, and can be copied and generated. */
        readonly given?: boolean;
        readonly make?: () => string;
      }
    | {
        readonly kind: "number";
        readonly min?: number;
        readonly max?: number;
        readonly unit?: string;
        readonly precision?: number;
      }
    | { readonly kind: "select" | "choices"; readonly options: readonly Option[]; readonly several?: boolean }
    | { readonly kind: "tags" }
    | { readonly kind: "switch"; readonly off: string | number | boolean; readonly on: string | number | boolean }
    | { readonly kind: "date" | "dateTime" | "month" }
    /** The value is `from,to`, or one day. */
    | { readonly kind: "period" }
    /**
     * Two instants, which a search sends as the parameters `from` and `to`; the field's own name is only for the form.
     */
    | { readonly kind: "span"; readonly from: string; readonly to: string }
    | { readonly kind: "own"; readonly control: ReactNode }
  );

interface Controlled<T> {
  readonly id?: string;
  readonly value?: T;
  readonly onChange?: (value: T | undefined) => void;
}

const formats = { date: "YYYY-MM-DD", dateTime: "YYYY-MM-DD HH:mm:ss", month: "YYYY-MM" } as const;

const openDays = ["1970-01-01", "2999-12-31"] as const;

export function DateText({ id, value, onChange, kind }: Controlled<string> & { readonly kind: keyof typeof formats }) {
  return (
    <DatePicker
      {...(id !== undefined && { id })}
      value={value ? dayjs(value) : null}
      picker={kind === "month" ? "month" : "date"}
      showTime={kind === "dateTime"}
      format={formats[kind]}
      onChange={(day) => onChange?.(day?.format(formats[kind]))}
      // Enter confirms the typed time and must not also submit the form.
      onKeyDown={(event) => {
        if (kind === "dateTime" && event.key === "Enter") event.preventDefault();
      }}
      className="q-wide"
    />
  );
}

/** A missing first or last day is sent as a distant day, since the API cannot express an open period. */
export function PeriodText({ id, value, onChange }: Controlled<string>) {
  const t = useTexts();
  const [from, to = from] = (value ?? "").split(",");
  const toDay = (text: string | undefined) =>
    text && text !== openDays[0] && text !== openDays[1] ? dayjs(text) : null;
  return (
    <DatePicker.RangePicker
      id={{ ...(id !== undefined && { start: id }), end: `${id}-to` }}
      value={[toDay(from), toDay(to)]}
      placeholder={[t.from, t.to]}
      // Without `allowEmpty` an empty first day traps the keyboard focus.
      allowEmpty
      onChange={(days) => {
        const texts = days?.map((day, index) => day?.format(formats.date) ?? openDays[index]);
        onChange?.(days?.some((day) => day) ? texts?.join(",") : undefined);
      }}
      className="q-wide"
    />
  );
}

export function SpanText({ id, value, onChange }: Controlled<string>) {
  const t = useTexts();
  const [from, to] = (value ?? ",").split(",");
  return (
    <DatePicker.RangePicker
      id={{ ...(id !== undefined && { start: id }), end: `${id}-to` }}
      value={from || to ? [from ? dayjs(from) : null, to ? dayjs(to) : null] : null}
      placeholder={[t.fromTime, t.toTime]}
      showTime
      allowEmpty
      onChange={(times) => onChange?.(times?.map((time) => time?.format(formats.dateTime) ?? "").join(","))}
      className="q-wide"
    />
  );
}

type SwitchProps = Controlled<string | number | boolean> & {
  readonly off: string | number | boolean;
  readonly on: string | number | boolean;
};

function WireSwitch({ id, value, onChange, off, on }: SwitchProps) {
  return (
    <Switch
      {...(id !== undefined && { id })}
      checked={value === on}
      onChange={(checked) => onChange?.(checked ? on : off)}
    />
  );
}

interface ExistingProps extends Controlled<string> {
  readonly field: Field & { readonly max?: number };
  readonly existing: readonly string[];
}

function Existing({ field, existing, ...item }: ExistingProps) {
  const t = useTexts();
  const [typed, setTyped] = useState("");
  return (
    <AutoComplete
      {...item}
      allowClear
      placeholder={field.placeholder ?? t.chooseOrType}
      disabled={field.disabled === true}
      options={existing.filter((value) => value.includes(typed)).map((value) => ({ value }))}
      onSearch={setTyped}
      onOpenChange={(open) => open && setTyped("")}
    />
  );
}

function Control({ field, ...item }: { readonly field: Field }) {
  const t = useTexts();
  const placeholder = field.placeholder ?? t.enter;
  const disabled = field.disabled === true;
  switch (field.kind) {
    case "text":
      if (field.existing) return <Existing {...item} field={field} existing={field.existing} />;
      return <Input {...item} allowClear placeholder={placeholder} disabled={disabled} maxLength={field.max} />;
    case "password":
      if (field.given) return <NewPassword {...item} max={field.max} make={field.make} />;
      return <Input.Password {...item} autoComplete="new-password" placeholder={placeholder} maxLength={field.max} />;
    case "multiline":
      return (
        <Input.TextArea {...item} rows={4} placeholder={placeholder} maxLength={field.max} showCount={!!field.max} />
      );
    case "number":
      return (
        <InputNumber
          {...item}
          className="q-wide"
          {...(field.min !== undefined && { min: field.min })}
          {...(field.max !== undefined && { max: field.max })}
          {...(field.precision !== undefined && { precision: field.precision })}
          suffix={field.unit}
          disabled={disabled}
        />
      );
    case "select":
      return (
        <Select
          {...item}
          allowClear
          disabled={disabled}
          placeholder={field.placeholder ?? t.all}
          showSearch={field.options.length > 8 ? { optionFilterProp: "label" } : false}
          {...(field.several && { mode: "multiple" as const })}
          options={[...field.options]}
        />
      );
    case "choices":
      return <Radio.Group {...item} disabled={disabled} options={[...field.options]} />;
    case "tags":
      return <Select {...item} mode="tags" open={false} suffixIcon={null} tokenSeparators={[",", "，", "\n"]} />;
    case "switch":
      return <WireSwitch {...item} off={field.off} on={field.on} />;
    case "period":
      return <PeriodText {...item} />;
    case "span":
      return <SpanText {...item} />;
    case "own":
      return field.control;
    default:
      return <DateText {...item} kind={field.kind} />;
  }
}

export function FormField({ field }: { readonly field: Field }) {
  const t = useTexts();
  const message = "options" in field ? t.choose(field.label) : t.required(field.label);
  const texted = field.kind === "text" || field.kind === "multiline" || field.kind === "password";
  return (
    <Form.Item
      name={field.name}
      label={field.label}
      extra={field.help}
      {...(field.dependsOn && { dependencies: [...field.dependsOn] })}
      className={field.wide || field.kind === "multiline" ? "q-field-wide" : ""}
      rules={[
        ...(field.required ? [{ required: true, message, ...(texted && { whitespace: true }) }] : []),
        ...(texted && field.min !== undefined ? [{ min: field.min }] : []),
        ...(field.check ? [toRule(field.check)] : []),
      ]}
    >
      {field.kind === "own" ? field.control : <Control field={field} />}
    </Form.Item>
  );
}

const toRule =
  (check: NonNullable<Field["check"]>): FormRule =>
  ({ getFieldsValue }) => ({
    validator: async (_rule, value: unknown) => {
      const fault = check(value, getFieldsValue() as Readonly<Record<string, unknown>>);
      if (fault !== undefined) throw new Error(fault);
    },
  });
