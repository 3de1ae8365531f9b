import type { ReactNode } from "react";
import { useTexts } from "#public/blocks/texts.ts";

export const Waiting = ({ what }: { readonly what?: string }): ReactNode => {
  const t = useTexts();
  return (
    <p className="soft" role="status">
      {what ?? t.waiting}
    </p>
  );
};

export const Empty = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className="empty">{children}</div>
);

export interface FailedProps {
  readonly failure: Error;
  readonly retry?: (() => void) | undefined;
}

export function Failed({ failure, retry }: FailedProps): ReactNode {
  const t = useTexts();
  return (
    <div className="note" data-tone="bad" role="alert">
      <p>{failure.message}</p>
      {retry && (
        <button className="button" type="button" onClick={retry}>
          {t.retry}
        </button>
      )}
    </div>
  );
}
