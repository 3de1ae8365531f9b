import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { setImportHook } from "#platform/workbooks/import-problems.ts";
import { gateFile, heldLine } from "./gate.ts";

const file = path.join(process.env["DATA_DIR"] ?? "", gateFile);
setImportHook(async () => {
  if (!existsSync(file)) return;
  console.log(heldLine);
  while (existsSync(file)) await delay(5);
});
await import(new URL("../../src/main.ts", import.meta.url).href);
