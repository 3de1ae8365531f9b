import type { ReactNode } from "react";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/session/texts.ts";
import { Choices } from "#console/shell/choices.tsx";
import { Mark } from "#console/shell/mark.tsx";

/** The page of whoever is not in yet. */
export function SignInCard({ children }: { readonly children: ReactNode }) {
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
        {children}
      </main>
    </div>
  );
}
