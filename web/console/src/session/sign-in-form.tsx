import { Alert, Button, Form, Input, Select } from "antd";
import { useState } from "react";
import type { CallFailure } from "#console/call/failure.ts";
import { useTexts } from "#console/language/language.ts";
import { useRemembered } from "#console/remembered.ts";
import { accounts, type Credentials, signIn } from "#console/session/accounts.ts";
import { texts } from "#console/session/texts.ts";

interface SignInFormProps {
  /** Whose sign-in it must be: given when a session has run out. */
  readonly fixed?: Pick<Credentials, "account" | "userName">;
}

/** User name and password; which account they are of is remembered. */
export function SignInForm({ fixed }: SignInFormProps) {
  const t = useTexts(texts);
  const [lastAccount, rememberAccount] = useRemembered<Credentials["account"]>("account", "platform");
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const standard = accounts.includes(lastAccount) ? lastAccount : "platform";
  const submit = async (given: Omit<Credentials, "account"> & Partial<Credentials>) => {
    const credentials = { account: standard, ...given, ...fixed };
    setBusy(true);
    setFailure(undefined);
    try {
      await signIn(credentials);
      if (!fixed) rememberAccount(credentials.account);
    } catch (error) {
      setFailure((error as CallFailure).message);
      setBusy(false);
    }
  };
  return (
    <Form
      name="sign-in"
      layout="vertical"
      requiredMark={false}
      onFinish={submit}
      initialValues={{ account: standard, ...fixed }}
    >
      {!fixed && accounts.length > 1 && (
        <Form.Item name="account" label={t.account}>
          <Select options={accounts.map((value) => ({ value, label: t.accounts[value] }))} />
        </Form.Item>
      )}
      <Form.Item
        name="userName"
        label={t.userName}
        rules={[{ required: true, whitespace: true, message: t.needUserName }]}
      >
        <Input autoComplete="username" autoFocus={!fixed} disabled={fixed !== undefined} maxLength={255} />
      </Form.Item>
      <Form.Item name="password" label={t.password} rules={[{ required: true, message: t.needPassword }]}>
        <Input.Password autoComplete="current-password" autoFocus={fixed !== undefined} />
      </Form.Item>
      {failure !== undefined && <Alert type="error" showIcon title={failure} role="alert" className="q-form-failure" />}
      <Button type="primary" htmlType="submit" block loading={busy}>
        {t.submit}
      </Button>
    </Form>
  );
}
