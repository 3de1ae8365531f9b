import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { findNodeFault } from "#scripts/node-program.js";
import { describeMaterials, type Locked, locked } from "#scripts/sbom.ts";
import { findFaults, findRanges } from "#test/supply-chain.ts";
import packageFile from "../package.json" with { type: "json" };
import programs from "#scripts/node-programs.json" with { type: "json" };

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
  assert.deepEqual(findRanges({ a: "^1.0.0", b: "latest", c: "1.0.0-beta.17" }), ["a ^1.0.0", "b latest"]);
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

const sound: Locked = { version: "1.0.0", license: "MIT", integrity: `sha512-${"A".repeat(86)}==` };
test("what must not be installed is found", () => {
  const planted: readonly Locked[] = [
    { ...sound, license: "GPL-3.0-only" },
    { ...sound, integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" },
    { ...sound, resolved: "https://registry.example/x.tgz" },
    { ...sound, hasInstallScript: true },
  ];
  for (const entry of planted)
    assert.equal(findFaults({ "node_modules/planted": entry }, mayRun).length, 1, JSON.stringify(entry));
});

test("what is sound is not", () => {
  const other = { ...sound, license: "(GPL-2.0 OR MIT)", resolved: "https://registry.npmjs.org/x/-/x-1.0.0.tgz" };
  assert.deepEqual(findFaults({ "": {}, "node_modules/planted": other }, mayRun), []);
});

interface Materials {
  readonly components: readonly { "bom-ref": string; hashes: readonly { content: string }[] }[];
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
  // Two versions of one package stand beside each other; each is found from where it is asked for.
  assert.ok(own.dependsOn.includes(`undici@${dependencies.undici}`));
});
