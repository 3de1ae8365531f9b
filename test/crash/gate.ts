import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandProcess } from "./server.ts";

export const gatedServer = fileURLToPath(new URL("gated-server.ts", import.meta.url));
export const gateFile = "hold-imports";
export const heldLine = "an import is held";
const mostMs = 60_000;

/** While the gate is closed, an import by the server of this data folder waits after its first rows. */
export const closeGate = (dataDir: string): Promise<void> => writeFile(path.join(dataDir, gateFile), "");
export const openGate = (dataDir: string): Promise<void> => rm(path.join(dataDir, gateFile), { force: true });

export async function awaitHeld({ child, output }: CommandProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`no import came to the gate: ${output().err}`)), mostMs);
  const look = (): void => (output().out.includes(heldLine) ? resolve() : undefined);
  child.stdout?.on("data", look);
  look();
  await promise.finally(() => {
    clearTimeout(timer);
    child.stdout?.off("data", look);
  });
}
