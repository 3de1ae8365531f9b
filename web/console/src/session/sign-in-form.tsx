import { Alert, Button, Divider, Form, Input, Select, Space } from "antd";
import { useState } from "react";
import type { CallFailure } from "#shared/call/failure.ts";
import { useRemembered } from "#shared/remembered.ts";
import { accounts, type Credentials, type Pending, signIn } from "#console/session/accounts.ts";
import { PendingSession } from "#console/session/pending-session.tsx";
import { useTexts } from "#console/session/texts.ts";
import { useAccountNames } from "#console/sections.ts";
import { leaveForCampus, type Provider, signOnBeside, signOnOffer } from "#console/session/sign-on.ts";

interface SignInFormProps {
  readonly fixed?: Pick<Credentials, "account" | "userName">;
}

interface Failed {
  readonly message: string;
  readonly isRefused: boolean;
  readonly last: Credentials;
  readonly tried: readonly Credentials["account"][];
}

function toFailed({ code, message }: CallFailure, last: Credentials, before: Failed | undefined): Failed {
  const isSame = before?.last.userName === last.userName && before.last.password === last.password;
  const tried = [...(isSame ? before.tried : []), last.account];
  return { message, isRefused: code === "10009", last, tried };
}

export function SignInForm({ fixed }: SignInFormProps) {
  const t = useTexts();
  const nameAccount = useAccountNames();
  const [lastAccount, rememberAccount] = useRemembered<Credentials["account"]>("account", "platform");
  const [failure, setFailure] = useState<Failed>();
  const [form] = Form.useForm<Credentials>();
  const [busy, setBusy] = useState(false);
  const [pending, setPending] = useState<Pending & Pick<Credentials, "password">>();
  const standard = accounts.includes(lastAccount) ? lastAccount : "platform";
  const submit = async (given: Omit<Credentials, "account"> & Partial<Credentials>) => {
    const credentials = { account: standard, ...given, ...fixed };
    setBusy(true);
    try {
      const waits = await signIn(credentials);
      if (!fixed) rememberAccount(credentials.account);
      setFailure(undefined);
      setPending(waits && { ...waits, password: credentials.password });
      if (waits) setBusy(false);
    } catch (error) {
      setFailure(toFailed(error as CallFailure, credentials, failure));
      setBusy(false);
    }
  };
  if (pending)
    return <PendingSession pending={pending} password={pending.password} onOther={() => setPending(undefined)} />;
  return (
    <Form
      form={form}
      name="sign-in"
      layout="vertical"
      requiredMark={false}
      onFinish={submit}
      initialValues={{ account: standard, ...fixed }}
    >
      {!fixed && accounts.length > 1 && (
        <Form.Item name="account" label={t.account}>
          <Select options={accounts.map((value) => ({ value, label: nameAccount(value) }))} />
        </Form.Item>
      )}
      <SignOnButtons
        service={() => fixed?.account ?? form.getFieldValue("account") ?? standard}
        beside={fixed !== undefined}
      />
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
      {failure !== undefined && (
        <Alert
          type="error"
          showIcon
          title={failure.message}
          role="alert"
          className="q-form-failure"
          description={
            !fixed &&
            failure.isRefused && (
              <OtherKinds
                failed={failure}
                onTry={(account) => {
                  form.setFieldValue("account", account);
                  form.submit();
                }}
              />
            )
          }
        />
      )}
      <Button type="primary" htmlType="submit" block loading={busy}>
        {t.submit}
      </Button>
    </Form>
  );
}

interface OtherKindsProps {
  readonly failed: Failed;
  readonly onTry: (account: Credentials["account"]) => void;
}

/** Other kinds of account are offered and not tried automatically, since each attempt counts towards the lock-out. */
function OtherKinds({ failed: { last, tried }, onTry }: OtherKindsProps) {
  const t = useTexts();
  const nameAccount = useAccountNames();
  const others = accounts.filter((account) => !tried.includes(account));
  return (
    <>
      <p className="q-sign-in-kinds">{t.triedAs(nameAccount(last.account))}</p>
      <Space wrap size={[8, 4]}>
        {others.map((account) => (
          <Button key={account} size="small" onClick={() => onTry(account)}>
            {nameAccount(account)}
          </Button>
        ))}
      </Space>
    </>
  );
}

interface SignOnButtonsProps {
  readonly service: () => string;
  readonly beside: boolean;
}

function SignOnButtons({ service, beside }: SignOnButtonsProps) {
  const t = useTexts();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState<Provider>();
  const { signOns, passwords } = signOnOffer;
  if (signOns.length === 0) return null;
  const go = async (provider: Provider) => {
    if (beside) return signOnBeside(provider);
    setBusy(provider);
    await leaveForCampus(provider, service()).catch((error: CallFailure) => {
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
