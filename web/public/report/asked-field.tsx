import type { ReactNode } from "react";
import { Field, type FieldControl } from "#public/blocks/field.tsx";
import { type FieldAsked, licensingChoices } from "./fields.ts";
import { useReportTexts } from "./texts.ts";

export interface AskedFieldProps {
  readonly field: FieldAsked;
  readonly value: string;
  readonly fault: string | undefined;
  readonly change: (text: string) => void;
}

/** One field with its label, in the browser's own control for it. */
export function AskedField({ field, value, fault, change }: AskedFieldProps): ReactNode {
  const t = useReportTexts();
  const hints: Readonly<Partial<Record<string, string>>> = t.hints;
  return (
    <Field label={t.fields[field.name]} hint={hints[field.name]} error={fault} needed={!field.optional}>
      {(control) => <Control control={control} field={field} value={value} change={change} />}
    </Field>
  );
}

interface ControlProps extends Omit<AskedFieldProps, "fault"> {
  readonly control: FieldControl;
}

function Control({ control, field: { name, kind, most, autoComplete }, value, change }: ControlProps): ReactNode {
  const t = useReportTexts();
  if (kind === "choice")
    return (
      <select {...control} name={name} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        <option value="">{t.choose}</option>
        {licensingChoices.map((choice) => (
          <option key={choice} value={choice}>
            {t.licensings[choice]}
          </option>
        ))}
      </select>
    );
  if (kind === "long")
    return (
      <textarea
        {...control}
        name={name}
        rows={4}
        maxLength={most}
        value={value}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  return (
    <input
      {...control}
      name={name}
      type={kind === "phone" ? "tel" : kind === "time" ? "datetime-local" : "text"}
      autoComplete={autoComplete ?? "off"}
      maxLength={kind === "list" || kind === "time" ? undefined : most}
      value={value}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
