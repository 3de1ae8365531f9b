import { Spin } from "antd";
import { useCallback, useEffect, useState } from "react";
import { Navigate, useNavigate } from "react-router";
import type { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#shared/language/language.ts";
import { useRemembered } from "#shared/remembered.ts";
import { PendingSession } from "#console/session/pending-session.tsx";
import type { Pending } from "#console/session/opening.ts";
import { SignInCard } from "#console/session/sign-in-card.tsx";
import { followSignOn, readWay, takeReturn } from "#console/session/sign-on.ts";
import { texts } from "#console/session/texts.ts";

/** Stands at the address that the browser comes back to, until it is known whether somebody is signed in. */
export function SigningOn({ query }: { readonly query: string }) {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const [account] = useRemembered("account", "platform");
  const [pending, setPending] = useState<Pending>();
  const go = useCallback(
    (signOnFailure?: string) => void navigate(takeReturn(), { replace: true, state: { signOnFailure } }),
    [navigate],
  );
  useEffect(() => {
    let isLeaving = !["finish", "ask"].includes(readWay(query));
    followSignOn(query, account).then(
      (waits) => isLeaving || (waits ? setPending(waits) : go()),
      (failure: CallFailure) => go(failure.message),
    );
    return () => void (isLeaving = true);
  }, [query, account, go]);
  if (pending)
    return (
      <SignInCard>
        <PendingSession pending={pending} onOpened={() => go()} onOther={() => go()} />
      </SignInCard>
    );
  return (
    <main className="q-sign-in">
      <title>{`${t.title} · Quintet`}</title>
      <p role="status">
        <Spin size="small" /> {t.signingOn}
      </p>
    </main>
  );
}

/** The same address when there is nothing to follow. */
export const NothingToFollow = () => <Navigate to="/" replace />;
