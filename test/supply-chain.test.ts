import assert from "node:assert/strict";
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { findNodeFault } from "#scripts/node-program.js";
import { describeMaterials, type Locked, locked, nameOf } from "#scripts/sbom.ts";
import packageFile from "../package.json" with { type: "json" };
import programs from "#scripts/node-programs.json" with { type: "json" };
import postgres from "#scripts/postgres-libraries.json" with { type: "json" };

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

const exceptions: Readonly<Record<string, { readonly license: string; readonly why: string }>> = {
  argparse: { license: "Python-2.0", why: "permissive; asks for no more than its notice" },
  "axe-core": { license: "MPL-2.0", why: "looks at pages in tests; unchanged, and never delivered" },
  lightningcss: { license: "MPL-2.0", why: "makes style sheets smaller at the build; unchanged, and never delivered" },
};

const isException = (name: string, license: string): boolean =>
  Object.entries(exceptions).some(
    ([known, exception]) => (name === known || name.startsWith(`${known}-`)) && exception.license === license,
  );

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

const findFaults = (packages: Readonly<Record<string, Locked>>, mayRun: ReadonlySet<string>): string[] =>
  Object.entries(packages).flatMap(([folder, entry]) =>
    folder === "" ? [] : [...findFaultsOf(folder, entry, mayRun)],
  );

const findRanges = (dependencies: Readonly<Record<string, string>>): string[] =>
  Object.entries(dependencies).flatMap(([name, version]) =>
    /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version) ? [] : [`${name} ${version}`],
  );

const { allowScripts, dependencies, devDependencies } = packageFile;
const mayRun = new Set(Object.keys(allowScripts));

test("whatever is installed has a licence that is allowed, a hash, and the one registry for its source", (context) => {
  const count = Object.keys(locked).length - 1;
  context.diagnostic(`${count} packages`);
  assert.ok(count > 300, "the test must have read the lock file");
  assert.deepEqual(findFaults(locked, mayRun), []);
});

test("dependencies are pinned", () => {
  assert.deepEqual(findRanges({ ...dependencies, ...devDependencies }), []);
});

test("the Node that runs is the one that was looked at; another is refused", async (t) => {
  assert.equal(programs.version, dependencies.node);
  assert.equal(findNodeFault(process.execPath), undefined);
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-node-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const other = path.join(folder, "node");
  await writeFile(other, "another program");
  for (const platform of Object.keys(programs.sha256)) assert.match(findNodeFault(other, platform) ?? "", /SHA-256/);
});

test("what must not be installed is found", () => {
  const sound: Locked = { version: "1.0.0", license: "(GPL-2.0 OR MIT)", integrity: `sha512-${"A".repeat(86)}==` };
  const planted = [
    { license: "GPL-3.0-only" },
    { integrity: "sha1-x" },
    { resolved: "https://x" },
    { hasInstallScript: true },
  ];
  assert.deepEqual(findFaults({ "": {}, "node_modules/planted": sound }, mayRun), []);
  for (const fault of planted)
    assert.equal(
      findFaults({ "node_modules/planted": { ...sound, ...fault } }, mayRun).length,
      1,
      JSON.stringify(fault),
    );
});

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly hashes: readonly { content: string }[];
  readonly components?: readonly Omit<Component, "hashes">[];
}

interface Materials {
  readonly components: readonly Component[];
  readonly dependencies: readonly { ref: string; dependsOn?: readonly string[] }[];
}

test("the bill of materials names every component once, and what each needs", () => {
  const { components, dependencies: needs } = JSON.parse(describeMaterials()) as Materials;
  const refs = new Set(components.map((component) => component["bom-ref"]));
  assert.equal(refs.size, components.length);
  for (const { hashes } of components) assert.match(hashes[0]?.content ?? "", /^[0-9a-f]{128}$/);
  for (const { dependsOn = [] } of needs) for (const ref of dependsOn) assert.ok(refs.has(ref), ref);
  const own = needs.find(({ ref }) => ref === `${packageFile.name}@${packageFile.version}`);
  assert.equal(own?.dependsOn?.length, Object.keys({ ...dependencies, ...devDependencies }).length);
  // Two versions of undici are installed, so a dependency must be resolved from its dependent.
  assert.ok(own.dependsOn.includes(`undici@${dependencies.undici}`));
});

const native = new URL(`../node_modules/${postgres.package}/native/`, import.meta.url);
const isHere = await lstat(native).then(
  () => true,
  () => false,
);

test(
  "the bill of materials names the libraries that the embedded PostgreSQL brings along, as they are",
  { skip: !isHere },
  async () => {
    const { components } = JSON.parse(describeMaterials()) as Materials;
    const { components: inside = [] } = components.find(({ name }) => name === postgres.package) ?? {};
    const named = inside.map(({ name, version }) => `${name} ${version}`);
    for (const known of ["postgresql 18.4", "openssl 1.1.1", "icu 60.2", "libxml2 2.9.4"])
      assert.ok(named.includes(known), known);
    for (const { file, mark, name, version } of postgres.libraries) {
      assert.ok(named.includes(`${name} ${version}`), name);
      assert.ok((await readFile(new URL(file, native))).includes(mark), `${file} is another version`);
    }
    // PostgreSQL's own libraries have the package's version; every other shared library must be listed.
    const files = (await readdir(new URL("lib/", native), { withFileTypes: true })).filter((one) => one.isFile());
    const foreign = files
      .map(({ name }) => `lib/${name}`)
      .filter((file) => !/lib(?:ecpg|ecpg_compat|pgtypes|pq)\./.test(file));
    const known = postgres.libraries.map(({ file }) => file).filter((file) => file.startsWith("lib/"));
    assert.deepEqual(foreign.filter((file) => file.includes(".so")).toSorted(), known.toSorted());
  },
);
