import type { Statement } from "#platform/database/index.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { findPhone } from "./sealed.ts";

/** How a text is looked for: by the index of one- and two-character pieces, then letter by letter, or by the letters alone. */
export type Search = "pieces" | "letters";

/** "Stands anywhere in the text". */
export function holds(
  statement: Statement,
  column: "name" | "company" | "search",
  needle: string,
  search: Search,
): string {
  const place = statement.value(needle);
  const letters = `strpos(lower(${column}), lower(${place})) > 0`;
  return search === "letters" ? letters : `platform.grams(${column}) @> platform.needle_grams(${place}) and ${letters}`;
}

/** Letters cannot be looked for in a sealed number: it is found by the whole of it. */
export function holdsKeyword(statement: Statement, keyword: string, search: Search, keys: Keyring): string {
  const text = holds(statement, "search", keyword, search);
  const numbers = findPhone(keys, keyword);
  return numbers.length === 0 ? text : `(${text} or phone_found = any(${statement.value(numbers)}))`;
}
