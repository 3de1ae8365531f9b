import { randomUUID } from "node:crypto";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Target } from "./model.ts";
import type { Sender } from "./sender.ts";

export interface TestTarget {
  readonly url: string;
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretUntil: Date | null;
}

export interface TestResult {
  /** Null without an answer. */
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** Null after a 2xx. */
  readonly error: string | null;
}

export interface TestOptions {
  readonly open: (target: Target) => Sender;
  readonly nowMs: () => number;
  readonly timeZone: string;
}

/** Pushes an event "test" once, as any other would be, to show whether a receiver can be reached and verifies it. */
export async function sendTest(target: TestTarget, { open, nowMs, timeZone }: TestOptions): Promise<TestResult> {
  const sender = open({ ...target, projectId: 0, revision: 0 });
  const id = randomUUID();
  const receivedTime = formatDateTime(new Date(nowMs()), timeZone);
  const [atMs, startedMs] = [nowMs(), performance.now()];
  const { statusCode, error } = await sender.send(
    id,
    Buffer.from(JSON.stringify({ id, event: "test", school_code: "", data: {}, receivedTime })),
    atMs,
  );
  sender.close();
  return { statusCode, durationMs: Math.round(performance.now() - startedMs), error };
}
