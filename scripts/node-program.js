// The package `node` downloads its program at install time, outside the lock file, so node-programs.json pins the
// hashes of the programs.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const { sha256 } = JSON.parse(readFileSync(new URL("node-programs.json", import.meta.url), "utf8"));

/**
 * Returns a message if the program's hash differs from the known hash for the platform. Returns undefined if the hashes
 * are equal or none is known.
 */
export function findNodeFault(program, platform = `${process.platform}-${process.arch}`) {
  const expected = sha256[platform];
  const found = createHash("sha256").update(readFileSync(program)).digest("hex");
  if (expected === undefined || found === expected) return undefined;
  return `${program} is not the expected Node program: its SHA-256 is ${found} instead of ${expected} (scripts/node-programs.json)`;
}
