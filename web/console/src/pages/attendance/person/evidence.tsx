import { useTexts } from "#console/language/language.ts";
import type { Explanation } from "#console/pages/attendance/person/person-drawer.tsx";
import { texts } from "#console/pages/attendance/texts.ts";

export type Evidence = Explanation["figures"][number]["entries"][number]["evidence"][number];

/** Rows of the sheets: which sheet, which row, what it says. */
export function EvidenceList({ evidence }: { readonly evidence: readonly Evidence[] }) {
  const t = useTexts(texts);
  return (
    <ul className="q-attendance-evidence">
      {evidence.map(({ sheet, row, text }) => (
        <li key={`${sheet}${row}${text}`}>
          <span>
            {t.evidenceSheets[sheet]} {t.evidenceRow(row)}
          </span>
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
