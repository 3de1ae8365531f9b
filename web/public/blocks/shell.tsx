import { type ReactNode, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { useTexts } from "#public/blocks/texts.ts";
import { useLine } from "#shared/call/line.ts";
import { useLanguage } from "#shared/language/language.ts";
import { useInstitution } from "#shared/institution.ts";
import { place } from "#shared/place.ts";
import "#public/blocks/page.css";

export function startPage(page: ReactNode): void {
  const root = document.querySelector("#page");
  if (root) createRoot(root).render(page);
}

export interface ShellProps {
  readonly title: string;
  readonly back?: string;
  readonly children: ReactNode;
}

export function Shell({ title, back = "/", children }: ShellProps): ReactNode {
  const t = useTexts();
  const [language, choose] = useLanguage();
  const { isDown } = useLine();
  const { name, logo } = useInstitution();
  useEffect(() => {
    document.title = name === "" ? title : `${title} · ${name}`;
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  }, [title, name, language]);
  const other = language === "zh" ? "en" : "zh";
  return (
    <div data-ready="">
      {name !== "" && (
        <p className="page-institution">
          {logo !== "" && <img src={logo} alt="" />}
          {name}
        </p>
      )}
      <header className="page-head">
        <a className="page-home" href={place.base + back} aria-label={t.home}>
          <Arrow />
        </a>
        <h1>{title}</h1>
        <button className="page-language" type="button" lang={other} onClick={() => choose(other)}>
          {t.otherLanguage}
        </button>
      </header>
      <main className="page-main">
        {isDown && (
          <p className="note" data-tone="warn" role="status">
            {t.offline}
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

const Arrow = (): ReactNode => (
  <svg viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
    <path d="M15 5l-7 7 7 7" strokeLinecap="round" strokeLinejoin="round" />
  </svg>
);
