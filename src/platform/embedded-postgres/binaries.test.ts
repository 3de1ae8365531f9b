import assert from "node:assert/strict";
import { cp, mkdir, readlink, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { findBinaries, repairLinks } from "./binaries.ts";
import { makeFolder } from "./test-server.ts";

test("library links that npm did not make are made, and what cannot be repaired is named", async (context) => {
  const installed = path.dirname(path.dirname(path.dirname((await findBinaries()).postgres)));
  const folder = await makeFolder(context);
  const list = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
  await mkdir(path.join(folder, "native", "lib"), { recursive: true });
  await cp(path.join(installed, "scripts"), path.join(folder, "scripts"), { recursive: true });
  await cp(path.join(installed, "package.json"), path.join(folder, "package.json"));
  await writeFile(path.join(folder, "native", "pg-symlinks.json"), JSON.stringify(list));
  await repairLinks(folder);
  assert.equal(await readlink(path.join(folder, "native/lib/libpq.so.5")), "libpq.so.5.18");

  await rm(path.join(folder, "native/lib/libpq.so.5"));
  await writeFile(path.join(folder, "scripts/hydrate-symlinks.js"), "");
  await assert.rejects(repairLinks(folder), /libpq\.so\.5 is missing: run "npm ci"/);
});
