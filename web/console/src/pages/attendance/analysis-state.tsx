import { formatCount } from "#console/blocks/format.ts";
import { ProgressLine } from "#console/blocks/progress-line.tsx";
import { Status, type Tone } from "#console/blocks/status.tsx";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import { useRunningAnalysis } from "#console/pages/attendance/use-analysis.ts";

const tones: Readonly<Record<0 | 1 | 2 | 3, Tone>> = { 0: "warning", 1: "processing", 2: "success", 3: "error" };

/** Where the analysis of a month stands; while it runs, how far it is. */
export function AnalysisState({ month, statu }: { readonly month: string; readonly statu: 0 | 1 | 2 | 3 }) {
  const t = useTexts(texts);
  const status = useRunningAnalysis(month, statu);
  if (statu !== 1) return <Status tone={tones[statu]}>{t.statuses[statu]}</Status>;
  const { done = 0, total = 0 } = status ?? {};
  const label = total === 0 ? t.preparing : t.analysing(formatCount(done), formatCount(total));
  return <ProgressLine percent={total > 0 ? Math.floor((done / total) * 100) : 0} label={label} />;
}
