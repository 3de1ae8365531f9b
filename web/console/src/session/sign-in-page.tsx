import { useTexts } from "#shared/language/language.ts";
import { SignInForm } from "#console/session/sign-in-form.tsx";
import { texts } from "#console/session/texts.ts";
import { Choices } from "#console/shell/choices.tsx";
import { Mark } from "#console/shell/mark.tsx";

/** Stands in place of every page while nobody is signed in; the address stays, and so does what it leads to. */
export function SignInPage() {
  const t = useTexts(texts);
  return (
    <div className="q-sign-in">
      <title>{`${t.title} · Quintet`}</title>
      <div className="q-sign-in-choices">
        <Choices />
      </div>
      <main className="q-sign-in-card">
        <Mark size={48} />
        <h1>Quintet</h1>
        <p>{t.subtitle}</p>
        <SignInForm />
      </main>
    </div>
  );
}
