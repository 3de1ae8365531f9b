import { Alert, type FormInstance } from "antd";
import { type ReactNode, useState } from "react";
import { MissingCode } from "#console/blocks/late.tsx";
import { CodeFailure } from "#console/call/code.ts";
import { CallFailure } from "#shared/call/failure.ts";

interface FormCall<T> {
  readonly submit: (given: T) => Promise<void>;
  readonly busy: boolean;
  readonly failure: ReactNode;
}

export function useFormCall<T>(form: FormInstance, work: (given: T) => Promise<unknown>): FormCall<T> {
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<string | CodeFailure>();
  const submit = async (given: T) => {
    setBusy(true);
    setSaid(undefined);
    try {
      await work(given);
    } catch (error) {
      if (error instanceof CodeFailure) return setSaid(error);
      if (!(error instanceof CallFailure)) throw error;
      if (!showAtFields(form, error)) setSaid(error.message);
    } finally {
      setBusy(false);
    }
  };
  return { submit, busy, failure: showFailure(said) };
}

function showFailure(said: string | CodeFailure | undefined): ReactNode {
  if (said === undefined) return null;
  if (said instanceof CodeFailure) return <MissingCode failure={said} />;
  return <Alert type="error" showIcon title={said} className="q-form-failure" />;
}

function showAtFields(form: FormInstance, { fields }: CallFailure): boolean {
  const known = new Set(Object.keys(form.getFieldsValue() as object));
  const placed = fields.filter(({ field }) => known.has(field));
  form.setFields(placed.map(({ field, message }) => ({ name: field, errors: [message] })));
  if (placed[0]) form.scrollToField(placed[0].field, { focus: true });
  return fields.length > 0 && placed.length === fields.length;
}
