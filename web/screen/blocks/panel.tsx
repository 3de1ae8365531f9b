import { type ReactNode, useState } from "react";
import { isStill } from "#screen/motion.ts";

interface PanelProps {
  readonly area: string;
  readonly title: string;
  /** The panel is highlighted for a moment whenever this is a new object. */
  readonly data: unknown;
  readonly about?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ area, title, data, about, children }: PanelProps) {
  const changes = useChanges(data);
  return (
    <section className={`s-panel s-area-${area}`} style={{ gridArea: area }} aria-label={title}>
      {/* A new key restarts the animation. */}
      {changes > 0 && !isStill && <span key={changes} className="s-light" aria-hidden />}
      <header className="s-panel-head">
        <h2>{title}</h2>
        {about !== undefined && <span className="s-panel-about">{about}</span>}
      </header>
      {children}
    </section>
  );
}

function useChanges(data: unknown): number {
  const [last, setLast] = useState({ data, changes: 0 });
  if (last.data !== data) setLast({ data, changes: last.changes + 1 });
  return last.changes;
}

export const Nothing = ({ children }: { readonly children: string }) => <p className="s-nothing">{children}</p>;

export const Value = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="s-value">
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);
