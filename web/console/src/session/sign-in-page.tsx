import { Spin } from "antd";
import { PageTitle } from "#console/shell/page-title.tsx";
import { Navigate, useLocation, useNavigate } from "react-router";
import { type Failed, SignInForm, toFailed } from "#console/session/sign-in-form.tsx";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { useTexts } from "#console/session/texts.ts";
import { Choices, Mark } from "#console/shell/choices.tsx";
import { useInstitution } from "#shared/institution.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import { PendingSession } from "#console/session/pending-session.tsx";
import type { Pending } from "#console/session/accounts.ts";
import { followSignOn, readWay, takeReturn } from "#console/session/sign-on.ts";

export function SignInPage() {
  const { signOnFailure } = (useLocation().state ?? {}) as { readonly signOnFailure?: Failed };
  return (
    <SignInCard>
      <SignInForm before={signOnFailure} />
    </SignInCard>
  );
}

function SignInCard({ children }: { readonly children: ReactNode }) {
  const t = useTexts();
  const { name } = useInstitution();
  return (
    <div className="q-sign-in">
      <PageTitle>{t.title}</PageTitle>
      <div className="q-sign-in-choices">
        <Choices />
      </div>
      <main className="q-sign-in-card">
        <Mark size={48} />
        <h1>{name || "Quintet"}</h1>
        <p>{t.subtitle}</p>
        {children}
      </main>
    </div>
  );
}

export function SigningOn({ query }: { readonly query: string }) {
  const t = useTexts();
  const navigate = useNavigate();
  const [pending, setPending] = useState<Pending>();
  const go = useCallback(
    (signOnFailure?: Failed) => void navigate(takeReturn(), { replace: true, state: { signOnFailure } }),
    [navigate],
  );
  useEffect(() => {
    let isLeaving = !["finish", "ask"].includes(readWay(query));
    followSignOn(query).then(
      (waits) => isLeaving || (waits ? setPending(waits) : go()),
      (failure: CallFailure) => go(toFailed(failure)),
    );
    return () => void (isLeaving = true);
  }, [query, go]);
  if (pending)
    return (
      <SignInCard>
        <PendingSession pending={pending} onOpened={() => go()} onOther={() => go()} />
      </SignInCard>
    );
  return (
    <main className="q-sign-in">
      <PageTitle>{t.title}</PageTitle>
      <p role="status">
        <Spin size="small" /> {t.signingOn}
      </p>
    </main>
  );
}

export const NothingToFollow = () => <Navigate to="/" replace />;
