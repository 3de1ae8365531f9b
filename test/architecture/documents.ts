import path from "node:path";
import { parseSync } from "oxc-parser";
import type { SourceFile } from "./rules.ts";

// Whether documents and code lead to what is there: ids of docs/interface.md, files, headings. Each function takes all
// that it needs as texts, so that a planted fault can be shown to it.

export interface DeadReference {
  readonly path: string;
  readonly found: string;
}

const interfacePage = "docs/interface.md";
const row = /^\| ([GRAPTD]\d{1,2}[a-z]?) \|/gm;
const citation = /\b[GRAPTD]\d{1,2}[a-z]?\b/g;
// A decision that a played operation names, such as decided("A6", …).
const citingText = /"([GRAPTD]\d{1,2}[a-z]?)"/g;

const isPage = (file: SourceFile): boolean => file.path.endsWith(".md");

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

/** The fragments by which a page's headings are reached, as GitHub makes them. */
function listFragments(page: string): Set<string> {
  const fragments = new Set<string>();
  for (const [, heading = ""] of withoutBlocks(page).matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const fragment = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    let unique = fragment;
    for (let count = 1; fragments.has(unique); count++) unique = `${fragment}-${count}`;
    fragments.add(unique);
  }
  return fragments;
}

function* readLinks(page: SourceFile): Generator<string> {
  for (const [, target = ""] of withoutBlocks(page.source).matchAll(/\]\(([^)\s]+)\)/g))
    if (!/^[a-z]+:/i.test(target)) yield target;
}

/** Links of the pages that lead to no file or no heading; `paths` are all files of the project. */
export function findDeadLinks(files: readonly SourceFile[], paths: ReadonlySet<string>) {
  const pages = new Map(files.filter(isPage).map(({ path: name, source }) => [name, listFragments(source)]));
  const isDead = (from: string, target: string): boolean => {
    const [file = "", fragment] = target.split("#");
    const to = file === "" ? from : path.posix.join(path.posix.dirname(from), file);
    return !paths.has(to) || (fragment !== undefined && !(pages.get(to)?.has(fragment) ?? false));
  };
  const links = files
    .filter(isPage)
    .flatMap((page) => [...readLinks(page)].map((found) => ({ path: page.path, found })));
  return { links: links.length, dead: links.filter((link) => isDead(link.path, link.found)) };
}

/** Pages that code and documents name by their path from the root, and that are not there. */
export const findDeadMentions = (files: readonly SourceFile[], paths: ReadonlySet<string>): DeadReference[] =>
  files.flatMap((file) =>
    [...file.source.matchAll(/\bdocs\/[\w./-]+\.md\b/g)]
      .map(([found]) => ({ path: file.path, found }))
      .filter(({ found }) => !paths.has(found)),
  );
