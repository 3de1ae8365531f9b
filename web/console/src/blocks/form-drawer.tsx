import { App, Button, Drawer, Form, type ModalFuncProps } from "antd";
import { type ReactNode, useId, useRef } from "react";
import { type Field, FormField } from "#console/blocks/fields.tsx";
import { MayNot } from "#console/blocks/buttons.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import { useFormCall } from "#console/blocks/use-form-call.tsx";
import { useUnsavedGuard } from "#console/blocks/use-confirm.ts";
import { type Judged, useMay } from "#console/session/session.ts";
import { makeKey } from "#shared/call/exchange.ts";

export type Question = Pick<ModalFuncProps, "title" | "content" | "okText" | "cancelText">;

interface FormDrawerProps<T extends object> {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly initial?: Partial<T>;
  /**
   * A CallFailure is shown at the fields that it names, or above the form if it names no field or an unknown one. All
   * attempts to save the form get the same idempotency key. An operation that creates a record must get the key as
   * `options: { idempotencyKey }`.
   */
  readonly onSave: (given: T, idempotencyKey: string) => Promise<unknown>;
  readonly needs: Judged;
  readonly onClose: () => void;
  /**
   * Returns a question that the user must confirm before the form is submitted, for example before money moves;
   * undefined if there is nothing to ask.
   */
  readonly readBack?: (given: T) => string | Promise<Question | undefined>;
  readonly saveText?: string;
  readonly width?: number;
  readonly children?: ReactNode;
}

export function FormDrawer<T extends object>(props: FormDrawerProps<T>) {
  const { title, fields, initial, needs, onSave, onClose, readBack, saveText, width = 480, children } = props;
  const t = useTexts();
  const [form] = Form.useForm<T>();
  const id = useId();
  const key = useRef(makeKey());
  const saved = useRef(false);
  const { modal } = App.useApp();
  const { submit, busy, failure } = useFormCall<T>(form, async (given) => {
    const asked = await readBack?.(given);
    const question = typeof asked === "string" ? { title: asked } : asked;
    if (question && !(await modal.confirm({ okText: saveText ?? t.save, cancelText: t.cancel, ...question }))) return;
    await onSave(given, key.current);
    saved.current = true;
    onClose();
  });
  const leave = useUnsavedGuard(() => !saved.current && form.isFieldsTouched(), onClose);
  const isOffered = useMay()(needs);
  return (
    <Drawer
      open
      title={title}
      size={width}
      onClose={leave}
      mask={{ closable: false }}
      footer={
        <div className="q-buttons q-drawer-footer">
          <Button onClick={leave}>{t.cancel}</Button>
          <Button type="primary" loading={busy} disabled={!isOffered} onClick={() => form.submit()}>
            {saveText ?? t.save}
          </Button>
        </div>
      }
    >
      {!isOffered && <MayNot />}
      {children}
      {failure}
      <Form<T>
        // The form's name prefixes the field ids, since another form on the page may have fields of the same names.
        name={id}
        form={form}
        layout="vertical"
        className={width > 600 ? "q-form-columns" : ""}
        initialValues={initial as T}
        onFinish={submit}
        scrollToFirstError={{ focus: true }}
      >
        {fields.map((field) => (
          <FormField key={field.name} field={field} />
        ))}
        {/* Lets Enter in a field submit the form. */}
        <button type="submit" hidden />
      </Form>
    </Drawer>
  );
}
