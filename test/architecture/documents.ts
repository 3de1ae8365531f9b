import { parseSync } from "oxc-parser";
import type { SourceFile } from "./rules.ts";

// Whether the ids of docs/interface.md that documents and code cite are there.

export interface DeadReference {
  readonly path: string;
  readonly found: string;
}

const interfacePage = "docs/interface.md";
const row = /^\| ([GRAPTD]\d{1,2}[a-z]?) \|/gm;
const citation = /\b[GRAPTD]\d{1,2}[a-z]?\b/g;
// A decision that a played operation names, such as decided("A6", …).
const citingText = /"([GRAPTD]\d{1,2}[a-z]?)"/g;

/** A page without its examples: fenced blocks are emptied, so that lines keep their numbers. */
const withoutBlocks = (page: string): string =>
  page.replaceAll(/^```.*?^```/gms, (block) => block.replaceAll(/[^\n]/g, ""));

function* readCitations({ path: name, source }: SourceFile): Generator<string> {
  if (name.endsWith(".md")) {
    const prose = withoutBlocks(source).replaceAll(/`[^`\n]*`|\]\([^)]*\)/g, "");
    for (const [id] of prose.matchAll(citation)) yield id;
  } else if (name.endsWith(".sql")) {
    for (const [line] of source.matchAll(/--.*$/gm)) for (const [id] of line.matchAll(citation)) yield id;
  } else if (source.search(citation) >= 0) {
    for (const { value } of parseSync(name, source).comments) for (const [id] of value.matchAll(citation)) yield id;
    if (name.startsWith("test/old-clients/"))
      for (const [, id] of source.matchAll(citingText)) if (id !== undefined) yield id;
  }
}

/** The ids that docs/interface.md gives its rows, in their order. */
export const listIds = (files: readonly SourceFile[]): string[] =>
  files
    .filter((file) => file.path === interfacePage)
    .flatMap(({ source }) => [...source.matchAll(row)].map(([, id]) => id ?? ""));

/** How often which id is cited outside of its own row. */
export function findDeadIds(files: readonly SourceFile[]): { cited: number; dead: DeadReference[] } {
  const known = new Set(listIds(files));
  const cited = files.flatMap((file) => [...readCitations(file)].map((id) => ({ path: file.path, found: id })));
  return { cited: cited.length, dead: cited.filter(({ found }) => !known.has(found)) };
}
