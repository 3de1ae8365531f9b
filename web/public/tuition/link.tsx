import type { ReactNode } from "react";
import { go } from "./route.ts";

interface LinkProps {
  readonly to: string;
  readonly current?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link to another of these pages: a real one, which can be opened in a tab of its own. */
export function Link({ to, current = false, className, children }: LinkProps) {
  return (
    <a
      href={to}
      className={className}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
