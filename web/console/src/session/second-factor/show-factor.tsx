import { Alert, Button, Form, Input } from "antd";
import { useState } from "react";
import { callWith } from "#console/call/call.ts";
import { hasPasskeys, showPasskey, type TokenOption } from "#console/session/second-factor/browser-passkeys.ts";
import { texts } from "#console/session/second-factor/texts.ts";
import { useAttempt } from "#console/session/second-factor/use-attempt.ts";
import { platform } from "#shared/api/platform.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";

interface ShowFactorProps {
  readonly factors: DataOf<typeof platform.readOwnFactors>["factors"];
  readonly option: TokenOption;
  readonly onDone: () => void;
}

/** A code, a recovery code, or a passkey. */
export function ShowFactor({ factors, option, onDone }: ShowFactorProps) {
  const t = useTexts(texts);
  const [form] = Form.useForm<{ code: string }>();
  const { attempt, busy, failure } = useAttempt();
  const [by, setBy] = useState<"code" | "passkey">();
  const offersPasskey = hasPasskeys() && factors.some(({ kind }) => kind === "passkey");
  const hasCode = factors.some(({ kind }) => kind === "totp");
  const start = (way: "code" | "passkey", work: () => Promise<unknown>) => {
    setBy(way);
    void attempt(async () => {
      await work();
      onDone();
    });
  };
  return (
    <>
      <p>{hasCode ? t.showAbout : t.showPasskeyAbout}</p>
      {failure !== undefined && <Alert type="error" showIcon title={failure} role="alert" className="q-form-failure" />}
      {offersPasskey && (
        <Button
          block
          type={hasCode ? "default" : "primary"}
          className="q-second-passkey"
          loading={busy && by === "passkey"}
          onClick={() => start("passkey", () => showPasskey(option))}
        >
          {t.usePasskey}
        </Button>
      )}
      <Form
        form={form}
        name="second-factor"
        layout="vertical"
        requiredMark={false}
        onFinish={(body: { code: string }) => start("code", () => callWith(platform.showCode, { body }, option))}
      >
        <Form.Item name="code" label={t.code} rules={[{ required: true, whitespace: true, message: t.needCode }]}>
          <Input autoComplete="one-time-code" autoFocus spellCheck={false} maxLength={64} className="q-code" />
        </Form.Item>
        <Button type={hasCode ? "primary" : "default"} htmlType="submit" block loading={busy && by === "code"}>
          {t.verify}
        </Button>
      </Form>
      <p className="q-soft q-second-lost">{t.lost}</p>
    </>
  );
}
