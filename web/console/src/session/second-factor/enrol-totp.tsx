import { useQuery } from "@tanstack/react-query";
import { Button, Form, Input, Skeleton } from "antd";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { useFormCall } from "#console/blocks/use-form-call.tsx";
import { callWith } from "#console/call/call.ts";
import { loadCode } from "#console/call/code.ts";
import type { TokenOption } from "#console/session/second-factor/browser-passkeys.ts";
import { texts } from "#console/session/second-factor/texts.ts";
import { platform } from "#shared/api/platform.ts";
import { useTexts } from "#shared/language/language.ts";
import { useIsPhone } from "#shared/media.ts";

export interface EnrolKindProps {
  readonly option: TokenOption;
  readonly onDone: (enrolled: { recoveryCodes: readonly string[] }) => void;
}

const loadQr = () => import("lean-qr");

interface Begun {
  readonly secret: string;
  readonly uri: string;
  readonly picture: string;
}

// Black on white in the dark too, or half of the readers do not see it.
async function begin(name: string, option: TokenOption): Promise<Begun> {
  const { generate } = await loadCode(loadQr);
  const { secret, uri } = await callWith(platform.beginTotp, { body: { name } }, option);
  const picture = generate(uri).toDataURL({ on: [0, 0, 0, 255], off: [255, 255, 255, 255], scale: 6 });
  return { secret, uri, picture };
}

/** A secret to be scanned or typed, and its first code. */
export function EnrolTotp({ option, onDone }: EnrolKindProps) {
  const t = useTexts(texts);
  const isPhone = useIsPhone();
  const [form] = Form.useForm<{ code: string }>();
  const { data, error, refetch } = useQuery({
    queryKey: ["begun-totp", option.token],
    queryFn: () => begin(t.names.totp, option),
    gcTime: 0,
    staleTime: Infinity,
    // Another secret would be of no use to who has scanned this one.
    refetchOnWindowFocus: false,
  });
  const { submit, busy, failure } = useFormCall<{ code: string }>(form, async (body) =>
    onDone(await callWith(platform.confirmTotp, { body }, option)),
  );
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active title={false} />;
  return (
    <>
      <p>{t.totpAbout}</p>
      <img className="q-second-qr" src={data.picture} alt={t.qr} />
      {/* A phone cannot scan its own screen. */}
      {isPhone && (
        <Button block href={data.uri} className="q-second-open">
          {t.openApp}
        </Button>
      )}
      <p className="q-second-secret">
        <span className="q-soft">{t.secret}</span>{" "}
        <CopyText text={data.secret.replaceAll(/(.{4})(?=.)/g, "$1 ")} label={t.secret} />
      </p>
      {failure}
      <Form form={form} name="first-code" layout="vertical" requiredMark={false} onFinish={submit}>
        <Form.Item name="code" label={t.firstCode} rules={[{ required: true, message: t.needFirstCode }]}>
          <Input autoComplete="one-time-code" inputMode="numeric" autoFocus maxLength={9} className="q-code" />
        </Form.Item>
        <Button type="primary" htmlType="submit" block loading={busy}>
          {t.confirm}
        </Button>
      </Form>
    </>
  );
}
