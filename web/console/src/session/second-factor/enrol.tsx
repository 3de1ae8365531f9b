import { Alert, Button, Radio } from "antd";
import { useState } from "react";
import { addPasskey, hasPasskeys, type TokenOption } from "#console/session/second-factor/browser-passkeys.ts";
import { type EnrolKindProps, EnrolTotp } from "#console/session/second-factor/enrol-totp.tsx";
import { RecoveryCodes } from "#console/session/second-factor/recovery-codes.tsx";
import { texts } from "#console/session/second-factor/texts.ts";
import { useAttempt } from "#console/session/second-factor/use-attempt.ts";
import { useTexts } from "#shared/language/language.ts";

export type Kind = "totp" | "passkey";

interface EnrolProps {
  /** Left out: the person chooses. */
  readonly kind?: Kind;
  readonly option: TokenOption;
  readonly onDone: () => void;
}

/** Sets a second factor up; with the first one come recovery codes, which are seen before anything goes on. */
export function Enrol({ kind: given, option, onDone }: EnrolProps) {
  const t = useTexts(texts);
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
  const t = useTexts(texts);
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
