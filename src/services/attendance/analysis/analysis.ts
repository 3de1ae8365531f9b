import type { Bilingual, Language } from "#platform/contract/language.ts";
import type { AnalysisSettings, EmployeeMonth } from "#services/attendance/model.ts";
import { type Explanation, explainFindings } from "./explain.ts";
import { findInMonth } from "./findings.ts";
import { type SummaryRow, toSummaryRow } from "./summary-row.ts";

export { titleRow } from "./summary-row.ts";
export { joinPeople } from "./people.ts";

/** What the rules make of one employee's month. */
export interface Analysis {
  /** The row as it goes out, in the contract's order. */
  readonly row: SummaryRow;
  readonly warnings: readonly Bilingual[];
  /** Addresses that no campus's keyword stands in, with how many valid punches. */
  readonly strangeAddresses: ReadonlyMap<string, number>;
  readonly explain: (language: Language) => Explanation;
}

/** Analyses one employee's month (A10 to A18). Pure: the same input and settings give the same row. Errors: none. */
export function analyseMonth(input: EmployeeMonth, settings: AnalysisSettings): Analysis {
  const findings = findInMonth(input, settings);
  const row = toSummaryRow(input, findings);
  return {
    row,
    warnings: findings.warnings,
    strangeAddresses: findings.strangeAddresses,
    explain: (language) => explainFindings(input, findings, language),
  };
}
