import type { ReactNode } from "react";
import type { Tone } from "#console/blocks/status.tsx";
import "#console/blocks/timeline.css";

interface TimelineProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Timeline({ title, children }: TimelineProps) {
  return (
    <section className="q-timeline" aria-label={title}>
      <h3>{title}</h3>
      <ol>{children}</ol>
    </section>
  );
}

interface TimelineItemProps {
  readonly tone?: Tone;
  readonly about?: ReactNode;
  readonly children: ReactNode;
}

export function TimelineItem({ tone = "default", about, children }: TimelineItemProps) {
  return (
    <li className={`q-tone-${tone}`}>
      {children}
      {about !== undefined && <div className="q-soft q-figures">{about}</div>}
    </li>
  );
}
