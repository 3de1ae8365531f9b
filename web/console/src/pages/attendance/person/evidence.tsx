import { createContext, use } from "react";
import { useTexts } from "#shared/language/language.ts";
import type { Explanation } from "#console/pages/attendance/records.ts";
import { texts } from "#console/pages/attendance/texts.ts";

export type Evidence = Explanation["figures"][number]["entries"][number]["evidence"][number];

/** The files that the rows came in, by import, where row numbers alone would not tell them apart. */
export const FileNames = createContext<ReadonlyMap<number, string>>(new Map());

/** Rows of the sheets: which sheet, which row, what it says; of sheets that came in several files, which. */
export function EvidenceList({ evidence }: { readonly evidence: readonly Evidence[] }) {
  const t = useTexts(texts);
  const fileNames = use(FileNames);
  return (
    <ul className="q-attendance-evidence">
      {evidence.map(({ sheet, import: importId, row, text }) => (
        <li key={`${sheet} ${importId} ${row} ${text}`}>
          <span>
            {t.evidenceSheets[sheet]} {t.evidenceRow(row)}
            {fileNames.has(importId) && <small className="q-attendance-file">{fileNames.get(importId)}</small>}
          </span>
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
