import { Alert } from "antd";
import { useLocation } from "react-router";
import { SignInCard } from "#console/session/sign-in-card.tsx";
import { SignInForm } from "#console/session/sign-in-form.tsx";

/** Stands in place of every page while nobody is signed in; the address stays, and so does what it leads to. */
export function SignInPage() {
  const { signOnFailure } = (useLocation().state ?? {}) as { readonly signOnFailure?: string };
  return (
    <SignInCard>
      {signOnFailure !== undefined && (
        <Alert type="error" showIcon role="alert" title={signOnFailure} className="q-form-failure" />
      )}
      <SignInForm />
    </SignInCard>
  );
}
