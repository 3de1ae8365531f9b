import { App, Form, type FormInstance, Input, Modal } from "antd";
import { useFormCall } from "#console/blocks/use-form-call.tsx";
import { type Session, setSession } from "#console/session/session.ts";
import { useTexts } from "#console/session/texts.ts";
import { type CallOptions, callWith } from "#console/call/call.ts";
import { loadCode } from "#console/call/code.ts";
import { accountOperations } from "#console/session/accounts.ts";

export function OwnPassword({ session, onClose }: { readonly session: Session; readonly onClose: () => void }) {
  const t = useTexts();
  const { message } = App.useApp();
  const [form] = Form.useForm<Passwords & { repeat: string }>();
  const { submit, busy, failure } = useFormCall<Passwords>(form, async (given) => {
    await changePassword(session, given);
    void message.success(t.passwordDone);
    setSession(null);
  });
  return (
    <Modal
      open
      title={t.ownPassword}
      width={420}
      okText={t.save}
      cancelText={t.cancel}
      confirmLoading={busy}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      <p className="q-soft">{t.passwordAbout}</p>
      {failure}
      <Form name="own-password" form={form} layout="vertical" requiredMark={false} onFinish={submit}>
        <Form.Item name="password" label={t.oldPassword} rules={[{ required: true, message: t.needOld }]}>
          <Input.Password autoComplete="current-password" autoFocus />
        </Form.Item>
        <NewPasswordFields form={form} />
      </Form>
    </Modal>
  );
}

interface NewPasswordFieldsProps {
  readonly form: FormInstance;
  readonly autoFocus?: boolean;
}

export function NewPasswordFields({ form, autoFocus = false }: NewPasswordFieldsProps) {
  const t = useTexts();
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

interface Passwords {
  readonly password: string;
  readonly newPassword: string;
}

// Passwords are encrypted, since on many campus networks the console runs on plain HTTP. A library encrypts them, since
// Web Crypto needs HTTPS.
const loadCipher = () => import("jsencrypt");

/** Ends every session of the account. @throws {CallFailure} */
export async function changePassword(
  { service, accountId }: Session,
  passwords: Passwords,
  options: Pick<CallOptions, "token"> = {},
): Promise<void> {
  const { publicKey, updatePassword } = accountOperations(service);
  const [{ JSEncrypt }, key] = await Promise.all([loadCode(loadCipher), callWith(publicKey, {})]);
  const cipher = new JSEncrypt();
  cipher.setPublicKey(key);
  const encrypt = (text: string) => cipher.encrypt(text) || "";
  const body = {
    id: accountId,
    password: encrypt(passwords.password),
    newPassword: encrypt(passwords.newPassword),
  };
  await callWith(updatePassword, { body }, options);
}
