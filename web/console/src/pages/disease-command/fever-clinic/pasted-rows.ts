/** A row of the day form. */
export interface ClinicRow {
  readonly hospitalName?: string;
  readonly feverClinicCount?: number | null;
  readonly epidemicCount?: number | null;
}

const toCount = (text: string | undefined): number | null => {
  const digits = (text ?? "").replaceAll(/[,，\s]/g, "");
  return /^\d+$/.test(digits) ? Number(digits) : null;
};

/** Rows of a spreadsheet, as they come through the clipboard; undefined when it is only one text. */
export function parseRows(text: string): ClinicRow[] | undefined {
  if (!/[\t\n]/.test(text.trim())) return undefined;
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [hospitalName = "", fever, epidemic] = line.split("\t");
      return { hospitalName: hospitalName.trim(), feverClinicCount: toCount(fever), epidemicCount: toCount(epidemic) };
    });
}

/** The rows with the pasted ones in the place of those from `place` on. */
export const putRows = (rows: readonly ClinicRow[], place: number, pasted: readonly ClinicRow[]): ClinicRow[] => [
  ...rows.slice(0, place),
  ...pasted,
  ...rows.slice(place + pasted.length),
];
