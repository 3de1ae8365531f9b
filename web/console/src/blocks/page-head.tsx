import type { ReactNode } from "react";

interface PageHeadProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children?: ReactNode;
}

export function PageHead({ title, about, children }: PageHeadProps) {
  return (
    <header className="q-page-head">
      <h1>{title}</h1>
      {about !== undefined && <span className="q-soft">{about}</span>}
      {children !== undefined && <div className="q-page-head-end q-buttons">{children}</div>}
    </header>
  );
}
