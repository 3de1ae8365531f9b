import { Button, Modal } from "antd";
import { setSession, useSession } from "#console/session/session.ts";
import { useIsWaiting } from "#console/session/sign-in-again.ts";
import { SignInForm } from "#console/session/sign-in-form.tsx";
import { useTexts } from "#console/session/texts.ts";

export function SignInModal() {
  const t = useTexts();
  const session = useSession();
  const waiting = useIsWaiting();
  if (!session) return null;
  return (
    <Modal
      open={waiting}
      title={t.again}
      width={400}
      zIndex={3000}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      destroyOnHidden
      footer={
        <Button type="text" size="small" onClick={() => setSession(null)}>
          {t.leave}
        </Button>
      }
    >
      <p>{t.againAbout}</p>
      <SignInForm fixed={{ account: session.service, userName: session.userName }} />
    </Modal>
  );
}
