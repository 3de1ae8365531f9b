import type { IdentityRow, MonthRow } from "#services/attendance/model.ts";
import type { SheetKind, Wording } from "./parts.ts";

/** Watches the rows of a sheet of people for what makes them hard to tell apart. */
export interface Watcher {
  see(row: MonthRow | IdentityRow): void;
  conclude(): Wording[];
}

const EXAMPLES = 10;
const MAX_PEOPLE = 100_000;
const WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

export function openWatcher(kind: SheetKind): Watcher {
  const seen = new Set<string>();
  const [doubled, wrongCards]: number[][] = [[], []];
  return {
    see(row) {
      if (row.userId !== "") {
        if (seen.has(row.userId)) doubled?.push(row.row);
        else if (seen.size < MAX_PEOPLE) seen.add(row.userId);
      }
      if ("idCard" in row && !isIdCard(row.idCard)) wrongCards?.push(row.row);
    },
    conclude() {
      const texts: Wording[] = [];
      if (doubled && doubled.length > 0) texts.push(describe(doubled, "UserId 重复", "rows repeat a UserId"));
      if (wrongCards && wrongCards.length > 0 && kind === "identity") {
        texts.push(
          describe(wrongCards, "身份证号的位数或校验码不对", "identity cards have a wrong length or check digit"),
        );
      }
      return texts;
    },
  };
}

// Rows, not people: a warning must not spell out identity cards.
function describe(rows: readonly number[], zh: string, en: string): Wording {
  const examples = rows.slice(0, EXAMPLES).join("、");
  const more = rows.length > EXAMPLES ? "…" : "";
  return {
    zh: `${rows.length} 行${zh}（第 ${examples}${more} 行）`,
    en: `${rows.length} ${en} (rows ${examples}${more})`,
  };
}

/** True for 18 characters whose last is the check digit of ISO 7064 (MOD 11-2), or for the 15 digits of old cards. */
export function isIdCard(text: string): boolean {
  if (/^\d{15}$/.test(text)) return true;
  if (!/^\d{17}[\dX]$/.test(text)) return false;
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * Number(text.charAt(at)), 0);
  return text.charAt(17) === "10X98765432".charAt(sum % 11);
}
