import { useQuery } from "@tanstack/react-query";
import { Alert, Button, Form, Input, Skeleton } from "antd";
import { Failure } from "#console/blocks/failure.tsx";
import { callWith } from "#console/call/call.ts";
import { hasPasskeys, showPasskey, type TokenOption } from "#console/session/second-factor/browser-passkeys.ts";
import { Enrol, useAttempt } from "#console/session/second-factor/enrol.tsx";
import { platform } from "#shared/api/platform.ts";
import { useState } from "react";
import { useTexts } from "#console/session/second-factor/texts.ts";
import type { DataOf } from "#shared/call/operation.ts";

interface SecondStepProps {
  readonly token?: string;
  readonly about?: string;
  readonly onDone: () => void;
}

export function SecondStep({ token, about, onDone }: SecondStepProps) {
  const option: TokenOption = token === undefined ? {} : { token };
  const { data, error, refetch } = useQuery({
    queryKey: ["second-step", token],
    queryFn: ({ signal }) => callWith(platform.readOwnFactors, {}, { ...option, signal }),
    gcTime: 0,
    // The user may switch to another window for the code, and returning must not clear the input.
    refetchOnWindowFocus: false,
  });
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active title={false} />;
  return data.factors.length === 0 ? (
    <Enrol option={option} onDone={onDone} />
  ) : (
    <>
      {about !== undefined && <p className="q-soft">{about}</p>}
      <ShowFactor factors={data.factors} option={option} onDone={onDone} />
    </>
  );
}

interface ShowFactorProps {
  readonly factors: DataOf<typeof platform.readOwnFactors>["factors"];
  readonly option: TokenOption;
  readonly onDone: () => void;
}

function ShowFactor({ factors, option, onDone }: ShowFactorProps) {
  const t = useTexts();
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
