// `node --test` loads this file once for a run and calls its functions before and after all test files.
import { startTestServer } from "#test/database.ts";

let server: { stop(): Promise<void> } | undefined;

export async function globalSetup(): Promise<void> {
  server = await startTestServer();
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
