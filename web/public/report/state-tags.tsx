import type { ReactNode } from "react";
import { useReportTexts } from "./texts.ts";

export interface StateTagsProps {
  readonly report: { readonly status: 0 | 1; readonly delStatus: 0 | 1; readonly valid: 0 | 1 | 2 };
}

const tones = { 0: "warn", 1: "good", 2: "bad" } as const;

/** The verdict, and whether the report goes on; of one that is withdrawn only that. */
export function StateTags({ report: { status, delStatus, valid } }: StateTagsProps): ReactNode {
  const t = useReportTexts();
  if (delStatus === 0) return <span className="tag">{t.states.deleted}</span>;
  return (
    <>
      <span className="tag" data-tone={tones[valid]}>
        {t.verdicts[valid]}
      </span>
      <span className="tag">{status === 0 ? t.states.closed : t.states.open}</span>
    </>
  );
}
