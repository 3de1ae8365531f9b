import { Button } from "antd";
import { useState } from "react";
import { late } from "#console/blocks/late.tsx";
import type { Pending } from "#console/session/accounts.ts";
import { setSession } from "#console/session/session.ts";
import { useTexts } from "#console/session/texts.ts";

const SecondStep = late(
  async () => (await import("#console/session/second-factor/second-step.tsx")).SecondStep,
  () => null,
);

const ChoosePassword = late(
  async () => (await import("#console/session/choose-password.tsx")).ChoosePassword,
  () => null,
);

interface PendingSessionProps {
  readonly pending: Pending;
  readonly password?: string;
  readonly onOpened?: () => void;
  readonly onOther: () => void;
}

export function PendingSession({ pending, password = "", onOpened, onOther }: PendingSessionProps) {
  const t = useTexts();
  const [{ session, mustChoosePassword }, setPending] = useState(pending);
  const open = () => {
    setSession(session);
    onOpened?.();
  };
  return (
    <>
      {mustChoosePassword ? (
        <ChoosePassword
          session={session}
          given={password}
          onChosen={(next) => (next ? setPending(next) : onOpened?.())}
        />
      ) : (
        <SecondStep token={session.token} onDone={open} />
      )}
      <Button type="text" size="small" onClick={onOther}>
        {t.otherAccount}
      </Button>
    </>
  );
}
