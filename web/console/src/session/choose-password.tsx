import { Button, Form } from "antd";
import { useState } from "react";
import { useFormCall } from "#console/blocks/use-form-call.tsx";
import { type Pending, signIn } from "#console/session/accounts.ts";
import { changePassword, NewPasswordFields } from "#console/session/own-password.tsx";
import { SecondStep } from "#console/session/second-factor/second-step.tsx";
import type { Session } from "#console/session/session.ts";
import { useTexts } from "#console/session/texts.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { factorNeeded } from "#console/call/call.ts";

interface ChoosePasswordProps {
  readonly session: Session;
  readonly given: string;
  readonly onChosen: (pending: Pending | undefined) => void;
}

export function ChoosePassword({ session, given, onChosen }: ChoosePasswordProps) {
  const t = useTexts();
  const [form] = Form.useForm<{ newPassword: string; repeat: string }>();
  const [isFactorWanted, setFactorWanted] = useState(false);
  const { userName, service: account } = session;
  const choose = async (newPassword: string): Promise<void> => {
    try {
      await changePassword(session, { password: given, newPassword }, { token: session.token });
    } catch (error) {
      if (!(error instanceof CallFailure) || error.code !== factorNeeded) throw error;
      return setFactorWanted(true);
    }
    onChosen(await signIn({ account, userName, password: newPassword }));
  };
  const { submit, busy, failure } = useFormCall<{ newPassword: string }>(form, ({ newPassword }) =>
    choose(newPassword),
  );
  const retry = () => {
    setFactorWanted(false);
    form.submit();
  };
  return (
    <>
      {isFactorWanted && <SecondStep token={session.token} onDone={retry} />}
      <section className="q-choose-password" aria-label={t.choosePassword} hidden={isFactorWanted}>
        <h2 className="q-second-heading">{t.choosePassword}</h2>
        <p>{t.chooseAbout}</p>
        {failure}
        <Form form={form} name="choose-password" layout="vertical" requiredMark={false} onFinish={submit}>
          {/* Tells a password manager the user name. */}
          <input hidden readOnly autoComplete="username" value={userName} />
          <NewPasswordFields form={form} autoFocus />
          <Button type="primary" htmlType="submit" block loading={busy}>
            {t.choose}
          </Button>
        </Form>
      </section>
    </>
  );
}
