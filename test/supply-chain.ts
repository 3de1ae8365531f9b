import { type Locked, nameOf } from "#scripts/sbom.ts";

// What may be installed: who wrote it allows it, it comes from the one registry, and its bytes are those of the lock file.

const allowed = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "CC0-1.0",
  "Unlicense",
]);

/** Licences that are taken for one package alone, and why. */
const exceptions: Readonly<Record<string, { readonly license: string; readonly why: string }>> = {
  argparse: { license: "Python-2.0", why: "permissive; asks for no more than its notice" },
  "axe-core": { license: "MPL-2.0", why: "looks at pages in tests; unchanged, and never delivered" },
  lightningcss: { license: "MPL-2.0", why: "makes style sheets smaller at the build; unchanged, and never delivered" },
};

const isException = (name: string, license: string): boolean =>
  Object.entries(exceptions).some(
    ([known, exception]) => (name === known || name.startsWith(`${known}-`)) && exception.license === license,
  );

/** Of several licences joined by OR one will do. */
const mayUse = (name: string, license: string): boolean =>
  isException(name, license) ||
  license
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((one) => allowed.has(one));

const registry = "https://registry.npmjs.org/";

function* findFaultsOf(folder: string, entry: Locked, mayRun: ReadonlySet<string>): Generator<string> {
  const name = entry.name ?? nameOf(folder);
  const { license = "none", integrity = "", resolved, link, hasInstallScript } = entry;
  if (!mayUse(name, license)) yield `${folder}: the licence ${license} is not allowed`;
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) yield `${folder}: nothing says what its bytes must be`;
  if (link || (resolved !== undefined && !resolved.startsWith(registry)))
    yield `${folder}: it comes from ${resolved ?? "a folder"}`;
  if (hasInstallScript && !mayRun.has(name)) yield `${folder}: it runs a program of its own when it is installed`;
}

/** What of the locked packages must not be installed. `mayRun` names those that may run a script then. */
export const findFaults = (packages: Readonly<Record<string, Locked>>, mayRun: ReadonlySet<string>): string[] =>
  Object.entries(packages).flatMap(([folder, entry]) =>
    folder === "" ? [] : [...findFaultsOf(folder, entry, mayRun)],
  );

/** Dependencies whose version is not one alone. */
export const findRanges = (dependencies: Readonly<Record<string, string>>): string[] =>
  Object.entries(dependencies).flatMap(([name, version]) =>
    /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version) ? [] : [`${name} ${version}`],
  );
