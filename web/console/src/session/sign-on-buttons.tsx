import { Alert, Button, Divider } from "antd";
import { useState } from "react";
import type { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#shared/language/language.ts";
import { leaveForCampus, type Provider, signOnBeside, signOnOffer } from "#console/session/sign-on.ts";
import { texts } from "#console/session/texts.ts";

interface SignOnButtonsProps {
  /** Of the account that is meant. */
  readonly service: () => string;
  /** In another tab, since the page that is open must stay. */
  readonly beside: boolean;
}

/** The ways into the console that the campus offers; nothing where there are none. */
export function SignOnButtons({ service, beside }: SignOnButtonsProps) {
  const t = useTexts(texts);
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
