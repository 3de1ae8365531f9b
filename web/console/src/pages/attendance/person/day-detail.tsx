import { CloseOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { nameFigure, useFigureNames } from "#shared/attendance/figure-names.ts";
import { listDays, numberOf } from "#console/pages/attendance/days.ts";
import type { Explanation } from "#console/pages/attendance/records.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { createContext, use } from "react";

interface DayDetailProps {
  readonly explanation: Explanation;
  readonly day: number;
  readonly onClose: () => void;
}

export function DayDetail({ explanation, day, onClose }: DayDetailProps) {
  const t = useTexts();
  const names = useFigureNames(explanation.bucketEdges);
  const date = listDays(explanation.days).find((each) => numberOf(each) === day) ?? "";
  const { counted, evidence } = collect(explanation, date, day);
  return (
    <section className="q-attendance-day-detail" aria-live="polite">
      <header>
        <h3>{t.dayDetail(date)}</h3>
        <Button type="text" size="small" aria-label={t.closeWindow} icon={<CloseOutlined />} onClick={onClose} />
      </header>
      {evidence.length === 0 ? (
        <p className="q-soft">{t.dayNothing}</p>
      ) : (
        <>
          {counted.length > 0 && (
            <p>
              <span className="q-soft">{t.countsFor}</span>
              {counted.map(({ field, kind, text }) => (
                <span key={field} className="q-attendance-counted">
                  {kind === "record" ? t.said(nameFigure(names, field), text) : nameFigure(names, field)}
                </span>
              ))}
            </p>
          )}
          <EvidenceList evidence={evidence} />
        </>
      )}
    </section>
  );
}

function collect(explanation: Explanation, date: string, day: number) {
  const figures = [...explanation.figures, ...explanation.extra];
  const counted = figures.flatMap(({ field, kind, entries }) => {
    const own = entries.filter((entry) => entry.day === date);
    return own.length === 0 ? [] : [{ field, kind, text: own.map(({ text }) => text).join("；") }];
  });
  const unique = new Map<string, Evidence>();
  for (const { entries } of figures)
    for (const entry of entries)
      for (const each of entry.evidence) {
        // The evidence of copied columns covers the whole month; only this day's part belongs here.
        const isOwn =
          entry.day === date || (entry.day === "" && new RegExp(`^(?:${day}日|Day ${day}:) `).test(each.text));
        if (isOwn) unique.set(`${each.sheet} ${each.import} ${each.row} ${each.text}`, each);
      }
  return { counted, evidence: [...unique.values()] };
}

type Evidence = Explanation["figures"][number]["entries"][number]["evidence"][number];

/** The names of the source files by import id, for sheets whose rows come from several files. */
export const FileNames = createContext<ReadonlyMap<number, string>>(new Map());

export function EvidenceList({ evidence }: { readonly evidence: readonly Evidence[] }) {
  const t = useTexts();
  const fileNames = use(FileNames);
  return (
    <ul className="q-attendance-evidence">
      {evidence.map(({ sheet, import: importId, row, text }) => (
        <li key={`${sheet} ${importId} ${row} ${text}`}>
          <span>
            {t.sheets[sheet]} {t.evidenceRow(row)}
            {fileNames.has(importId) && <small className="q-attendance-file">{fileNames.get(importId)}</small>}
          </span>
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
