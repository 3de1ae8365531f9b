import { Alert, type FormInstance } from "antd";
import { type ReactNode, useState } from "react";
import { useTexts } from "#console/blocks/texts.ts";
import { MissingCode } from "#console/blocks/late.tsx";
import { CodeFailure } from "#console/call/code.ts";
import { CallFailure } from "#shared/call/failure.ts";

interface FormCall<T> {
  readonly submit: (given: T) => Promise<void>;
  readonly busy: boolean;
  readonly failure: ReactNode;
}

const uploads = new WeakMap<FormInstance, number>();

/** Until the upload ends, the form is not saved, since its values lack the file. */
export async function uploadFor(form: FormInstance, upload: () => Promise<void>): Promise<void> {
  const count = (by: number) => uploads.set(form, (uploads.get(form) ?? 0) + by);
  count(1);
  await upload().finally(() => count(-1));
}

export function useFormCall<T>(form: FormInstance, work: (given: T) => Promise<unknown>): FormCall<T> {
  const t = useTexts();
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<string | CodeFailure>();
  const submit = async (given: T) => {
    if (uploads.get(form)) return setSaid(t.uploadPending);
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
