import path from "node:path";
import { readFile, type SourceFile } from "./rules.ts";

const doors: Readonly<Record<string, string>> = {
  "#console/": "web/console/src/",
  "#public/": "web/public/",
  "#screen/": "web/screen/",
  "#shared/": "web/shared/",
};

export function listImports(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const web = files.filter(({ path: name }) => name.startsWith("web/"));
  const known = new Set(web.map((file) => file.path));
  return new Map(
    web.map((file) => [
      file.path,
      readFile(file)
        .imports.map((name) => toPath(file.path, name))
        .filter((name) => known.has(name)),
    ]),
  );
}

function toPath(from: string, name: string): string {
  const door = Object.keys(doors).find((start) => name.startsWith(start));
  return door === undefined
    ? path.posix.join(path.posix.dirname(from), name)
    : `${doors[door]}${name.slice(door.length)}`;
}

/** Returns the files on an import cycle or on a path between two cycles. */
export function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...imports];
  for (let before = Infinity; left.length < before;) {
    before = left.length;
    const names = new Set(left.map(([name]) => name));
    const imported = new Set(left.flatMap(([, to]) => to));
    left = left.filter(([name, to]) => imported.has(name) && to.some((each) => names.has(each)));
  }
  return left.map(([name]) => name);
}
