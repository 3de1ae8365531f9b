// The package `node` fetches the program of the machine's platform when it is installed, past the lock file, which
// therefore has no hash of it: it stands in node-programs.json.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const { sha256 } = JSON.parse(readFileSync(new URL("node-programs.json", import.meta.url), "utf8"));

/** What is wrong with the program of a platform, such as linux-x64; undefined where nothing is, or no hash is known. */
export function findNodeFault(program, platform = `${process.platform}-${process.arch}`) {
  const expected = sha256[platform];
  const found = createHash("sha256").update(readFileSync(program)).digest("hex");
  if (expected === undefined || found === expected) return undefined;
  return `${program} is not the Node that was looked at: its SHA-256 is ${found}, not ${expected} (scripts/node-programs.json)`;
}
