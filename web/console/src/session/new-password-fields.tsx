import { Form, type FormInstance, Input } from "antd";
import { texts } from "#console/session/texts.ts";
import { useTexts } from "#shared/language/language.ts";

interface NewPasswordFieldsProps {
  readonly form: FormInstance;
  readonly autoFocus?: boolean;
}

/** One's own next password, twice. */
export function NewPasswordFields({ form, autoFocus = false }: NewPasswordFieldsProps) {
  const t = useTexts(texts);
  return (
    <>
      <Form.Item
        name="newPassword"
        label={t.newPassword}
        rules={[{ required: true, min: 8, max: 128, message: t.needNew }]}
      >
        <Input.Password autoComplete="new-password" autoFocus={autoFocus} />
      </Form.Item>
      <Form.Item
        name="repeat"
        label={t.repeat}
        dependencies={["newPassword"]}
        rules={[
          {
            validator: (_rule, text) =>
              text === form.getFieldValue("newPassword") ? Promise.resolve() : Promise.reject(new Error(t.differ)),
          },
        ]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
    </>
  );
}
