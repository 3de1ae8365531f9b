import { App, Form, Input, Modal } from "antd";
import { useFormCall } from "#console/blocks/use-form-call.tsx";
import { useTexts } from "#shared/language/language.ts";
import { changePassword, type Passwords } from "#console/session/change-password.ts";
import { NewPasswordFields } from "#console/session/new-password-fields.tsx";
import { type Session, setSession } from "#console/session/session.ts";
import { texts } from "#console/session/texts.ts";

/** Changes one's own password, which signs one out. */
export function OwnPassword({ session, onClose }: { readonly session: Session; readonly onClose: () => void }) {
  const t = useTexts(texts);
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
