import { Alert, Button, Form, Input, Radio, Skeleton } from "antd";
import { useState } from "react";
import {
  addPasskey,
  hasPasskeys,
  PasskeyStopped,
  type TokenOption,
} from "#console/session/second-factor/browser-passkeys.ts";
import { useTexts } from "#console/session/second-factor/texts.ts";
import { useQuery } from "@tanstack/react-query";
import { CopyButton, CopyText } from "#console/blocks/copy-text.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { useFormCall } from "#console/blocks/use-form-call.tsx";
import { callWith } from "#console/call/call.ts";
import { CodeFailure, loadCode } from "#console/call/code.ts";
import { platform } from "#shared/api/platform.ts";
import { useIsPhone } from "#shared/media.ts";
import { CallFailure } from "#shared/call/failure.ts";

export type Kind = "totp" | "passkey";

interface EnrolProps {
  readonly kind?: Kind;
  readonly option: TokenOption;
  readonly onDone: () => void;
}

export function Enrol({ kind: given, option, onDone }: EnrolProps) {
  const t = useTexts();
  const [chosen, choose] = useState<Kind>();
  const [codes, setCodes] = useState<readonly string[]>();
  const kind = given ?? chosen;
  if (codes) return <RecoveryCodes codes={codes} onDone={onDone} />;
  const finish = ({ recoveryCodes }: { recoveryCodes: readonly string[] }) =>
    recoveryCodes.length > 0 ? setCodes(recoveryCodes) : onDone();
  return (
    <>
      {given === undefined && (
        <>
          <p>{t.enrolAbout}</p>
          <Radio.Group
            vertical
            className="q-second-kinds"
            value={chosen}
            onChange={({ target }) => choose(target.value as Kind)}
            options={(["totp", "passkey"] as const).map((value) => ({
              value,
              disabled: value === "passkey" && !hasPasskeys(),
              label: (
                <>
                  {t.kinds[value]}
                  <div className="q-soft">{t.kindsAbout[value]}</div>
                </>
              ),
            }))}
          />
        </>
      )}
      {kind === "totp" && <EnrolTotp option={option} onDone={finish} />}
      {kind === "passkey" && <EnrolPasskey option={option} onDone={finish} />}
    </>
  );
}

function EnrolPasskey({ option, onDone }: EnrolKindProps) {
  const t = useTexts();
  const { attempt, busy, failure } = useAttempt();
  if (!hasPasskeys()) return <Alert type="info" showIcon title={t.noPasskeys} />;
  return (
    <>
      {failure !== undefined && <Alert type="error" showIcon title={failure} role="alert" className="q-form-failure" />}
      <Button
        type="primary"
        block
        loading={busy}
        onClick={() => void attempt(async () => onDone(await addPasskey(t.names.passkey, option)))}
      >
        {t.makePasskey}
      </Button>
    </>
  );
}

interface EnrolKindProps {
  readonly option: TokenOption;
  readonly onDone: (enrolled: { recoveryCodes: readonly string[] }) => void;
}

const loadQr = () => import("lean-qr");

interface Begun {
  readonly secret: string;
  readonly uri: string;
  readonly picture: string;
}

// The code is black on white in dark mode too, since many scanners cannot read inverted codes.
async function begin(name: string, option: TokenOption): Promise<Begun> {
  const { generate } = await loadCode(loadQr);
  const { secret, uri } = await callWith(platform.beginTotp, { body: { name } }, option);
  const picture = generate(uri).toDataURL({ on: [0, 0, 0, 255], off: [255, 255, 255, 255], scale: 6 });
  return { secret, uri, picture };
}

function EnrolTotp({ option, onDone }: EnrolKindProps) {
  const t = useTexts();
  const isPhone = useIsPhone();
  const [form] = Form.useForm<{ code: string }>();
  const { data, error, refetch } = useQuery({
    queryKey: ["begun-totp", option.token],
    queryFn: () => begin(t.names.totp, option),
    gcTime: 0,
    staleTime: Infinity,
    // Another read would replace the secret that was just scanned.
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

export function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const t = useTexts();
  return (
    <section aria-label={t.recovery}>
      <h2 className="q-second-heading">{t.recoveryTitle}</h2>
      <p>{t.recoveryAbout}</p>
      <ul className="q-second-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="q-buttons">
        <CopyButton text={codes.join("\n")} label={t.copyAll} />
      </div>
      <Button type="primary" block onClick={onDone} className="q-second-saved">
        {t.saved}
      </Button>
    </section>
  );
}

export function useAttempt() {
  const t = useTexts();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      if (error instanceof PasskeyStopped) setFailure(error.isKnown ? t.passkeyKnown : t.passkeyStopped);
      else if (error instanceof CallFailure || error instanceof CodeFailure) setFailure(error.message);
      else throw error;
    } finally {
      setBusy(false);
    }
  };
  return { attempt, busy, failure };
}
