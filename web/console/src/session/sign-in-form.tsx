import { Alert, Button, Divider, Form, Input, Space } from "antd";
import { useState } from "react";
import type { CallFailure } from "#shared/call/failure.ts";
import { type Credentials, type Pending, signIn } from "#console/session/accounts.ts";
import { PendingSession } from "#console/session/pending-session.tsx";
import { useTexts } from "#console/session/texts.ts";
import { useAccountNames } from "#console/sections.ts";
import { leaveForCampus, type Provider, signOnBeside, signOnOffer } from "#console/session/sign-on.ts";

/** Why a sign-in failed, and the accounts to choose from if several fit. */
export interface Failed {
  readonly message: string;
  readonly accounts?: readonly string[] | undefined;
  /** If set, the chosen account signs in by this campus sign-on. */
  readonly provider?: Provider | undefined;
}

export const toFailed = ({ code, message, data }: CallFailure): Failed =>
  code === "20014" ? { message, ...(data as Omit<Failed, "message">) } : { message };

interface SignInFormProps {
  /** Set after a session has expired: only this account can sign in. */
  readonly fixed?: { readonly account: string; readonly userName: string };
  /** The error of the campus sign-on from which the browser returned. */
  readonly before?: Failed | undefined;
}

export function SignInForm({ fixed, before }: SignInFormProps) {
  const t = useTexts();
  const [failure, setFailure] = useState(before);
  const [form] = Form.useForm<Credentials>();
  const [busy, setBusy] = useState(false);
  const [pending, setPending] = useState<Pending & Pick<Credentials, "password">>();
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      setFailure(toFailed(error as CallFailure));
      setBusy(false);
    }
  };
  const submit = (credentials: Credentials) =>
    attempt(async () => {
      const waits = await signIn({ ...credentials, ...fixed });
      setFailure(undefined);
      setPending(waits && { ...waits, password: credentials.password });
      if (waits) setBusy(false);
    });
  const choose = (account: string) =>
    failure?.provider
      ? attempt(() => leaveForCampus(failure.provider ?? "oidc", account))
      : submit({ ...form.getFieldsValue(), account });
  if (pending)
    return <PendingSession pending={pending} password={pending.password} onOther={() => setPending(undefined)} />;
  return (
    <Form
      form={form}
      name="sign-in"
      layout="vertical"
      requiredMark={false}
      onFinish={submit}
      initialValues={{ ...fixed }}
    >
      <SignOnButtons {...(fixed && { account: fixed.account })} />
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
      {failure !== undefined && <Failure failed={failure} onChoose={choose} />}
      <Button type="primary" htmlType="submit" block loading={busy}>
        {t.submit}
      </Button>
    </Form>
  );
}

interface FailureProps {
  readonly failed: Failed;
  readonly onChoose: (account: string) => Promise<void>;
}

function Failure({ failed: { message, accounts }, onChoose }: FailureProps) {
  const nameAccount = useAccountNames();
  const choices = accounts && (
    <Space wrap size={[8, 4]}>
      {accounts.map((account) => (
        <Button key={account} onClick={() => void onChoose(account)}>
          {nameAccount(account)}
        </Button>
      ))}
    </Space>
  );
  return (
    <Alert
      type={choices ? "info" : "error"}
      showIcon
      title={message}
      role="alert"
      className="q-form-failure"
      description={choices}
    />
  );
}

interface SignOnButtonsProps {
  /** The account whose session has expired. The sign-on opens in another tab, since the open page must stay. */
  readonly account?: string;
}

function SignOnButtons({ account }: SignOnButtonsProps) {
  const t = useTexts();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState<Provider>();
  const { signOns, passwords } = signOnOffer;
  if (signOns.length === 0) return null;
  const go = async (provider: Provider) => {
    if (account !== undefined) return signOnBeside(provider, account);
    setBusy(provider);
    await leaveForCampus(provider).catch((error: CallFailure) => {
      setFailure(error.message);
      setBusy(undefined);
    });
  };
  return (
    <div className="q-sign-on">
      {signOns.map((provider) => (
        <Button key={provider} block loading={busy === provider} onClick={() => void go(provider)}>
          {signOns.length > 1 ? t.campusBy(t.providers[provider]) : t.campus}
        </Button>
      ))}
      {failure !== undefined && (
        <Alert type="error" showIcon role="alert" title={failure} description={t.campusFailed} />
      )}
      <Divider plain>{passwords === "few" ? t.passwordsOfFew : t.or}</Divider>
    </div>
  );
}
