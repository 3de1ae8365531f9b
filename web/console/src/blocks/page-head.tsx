import type { ReactNode } from "react";

interface PageHeadProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children?: ReactNode;
}

/** The head of every page: its one h1, what it is for, and what can be done with all of it. */
export function PageHead({ title, about, children }: PageHeadProps) {
  return (
    <header className="q-page-head">
      <h1>{title}</h1>
      {about !== undefined && <span className="q-soft">{about}</span>}
      {children !== undefined && <div className="q-page-head-end q-buttons">{children}</div>}
    </header>
  );
}
