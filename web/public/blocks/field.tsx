import { type ReactNode, useId } from "react";
import { useTexts } from "#public/blocks/texts.ts";

export interface FieldControl {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
  readonly "aria-required": boolean;
}

export interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly needed?: boolean;
  readonly children: (control: FieldControl) => ReactNode;
}

export function Field({ label, hint, error, needed = false, children }: FieldProps): ReactNode {
  const t = useTexts();
  const id = useId();
  const described = [!needed && `${id}-optional`, hint && `${id}-hint`, error && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="field">
      <span>
        <label htmlFor={id}>{label}</label>{" "}
        {!needed && (
          <span className="soft" id={`${id}-optional`}>
            ({t.optional})
          </span>
        )}
      </span>
      {hint && (
        <span className="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {children({
        id,
        "aria-invalid": error !== undefined,
        "aria-describedby": described || undefined,
        "aria-required": needed,
      })}
      {error !== undefined && (
        <span className="field-error" id={`${id}-error`} role="alert">
          {error}
        </span>
      )}
    </div>
  );
}
