import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { endedMark } from "./watchdog.ts";

interface Failure {
  readonly name: string;
  readonly file: string;
  readonly why: string;
}

const slowestShown = 10;

/** Yields diagnostics, messages of the watchdog, each failure with its reason, the slowest files, and the counts. */
export async function* summarise(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: Failure[] = [];
  let gathered = 0;
  const tookMs = new Map<string, number>();
  for await (const { type, data } of source) {
    if (type === "test:diagnostic" && data.nesting > 0) yield `\n  ${data.message}`;
    if (type === "test:diagnostic" && data.nesting === 0 && /seed|read/.test(data.message)) yield `\n  ${data.message}`;
    if (type === "test:stderr" && data.message.includes(endedMark)) yield `\n${data.message}`;
    if (type === "test:pass" && data.name.endsWith(".test.ts")) gathered++;
    if ((type === "test:pass" || type === "test:fail") && data.name.endsWith(".test.ts"))
      tookMs.set(data.name, data.details.duration_ms);
    // A group's own file ends in .test.mjs and is not listed; its top-level tests are named after the test files.
    if (type === "test:summary" && data.file?.endsWith(".test.ts")) tookMs.set(toName(data.file), data.duration_ms);
    if (type === "test:fail" && data.details.type !== "suite") {
      const { cause, message, failureType } = data.details.error as Error & { readonly failureType?: string };
      if (failureType === "subtestsFailed") continue;
      failures.push({
        name: data.name,
        file: toName(data.file ?? ""),
        why: (cause as Error | undefined)?.stack ?? message,
      });
    }
    if (type === "test:summary" && data.file === undefined) {
      yield `\n${failures.map(({ name, file, why }) => `\nFAILED ${file}: ${name}\n${why}\n`).join("")}`;
      yield `\n${describeSlowest(tookMs)}\n`;
      const { tests, passed, skipped, todo } = data.counts;
      const failed = tests - passed - skipped - todo;
      yield `\n${passed - gathered} passed, ${failed} failed, ${skipped} skipped\n`;
    }
  }
}

const toName = (file: string): string => relative(process.cwd(), file);

function describeSlowest(tookMs: ReadonlyMap<string, number>): string {
  const slowest = [...tookMs].toSorted(([, one], [, other]) => other - one).slice(0, slowestShown);
  return slowest.map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`).join("\n");
}

// The test runner requires a default export.
// oxlint-disable-next-line import/no-default-export
export default summarise;
