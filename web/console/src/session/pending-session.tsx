import { Button } from "antd";
import { useTexts } from "#shared/language/language.ts";
import { late } from "#console/blocks/late.tsx";
import { type Session, setSession } from "#console/session/session.ts";
import { texts } from "#console/session/texts.ts";

const SecondStep = late(
  async () => (await import("#console/session/second-factor/second-step.tsx")).SecondStep,
  () => null,
);

interface PendingSessionProps {
  readonly session: Session;
  readonly onOpened?: () => void;
  readonly onOther: () => void;
}

/** Has a session show its second factor, by which it is opened in every tab. */
export function PendingSession({ session, onOpened, onOther }: PendingSessionProps) {
  const t = useTexts(texts);
  const open = () => {
    setSession(session);
    onOpened?.();
  };
  return (
    <>
      <SecondStep token={session.token} onDone={open} />
      <Button type="text" size="small" onClick={onOther}>
        {t.otherAccount}
      </Button>
    </>
  );
}
