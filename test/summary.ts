import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

interface Failure {
  readonly name: string;
  readonly file: string;
  readonly why: string;
}

/** A reporter for people: what a test tells (its seed, what it read), each failure with its reason, and the counts. */
export async function* summarise(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: Failure[] = [];
  // Tests that are a file of several in one process, and hold its tests.
  let gathered = 0;
  for await (const { type, data } of source) {
    if (type === "test:diagnostic" && data.nesting > 0) yield `\n  ${data.message}`;
    if (type === "test:diagnostic" && data.nesting === 0 && /seed|read/.test(data.message)) yield `\n  ${data.message}`;
    if (type === "test:pass" && data.name.endsWith(".test.ts")) gathered++;
    if (type === "test:fail" && data.details.type !== "suite") {
      const { cause, message, failureType } = data.details.error as Error & { readonly failureType?: string };
      // A test of several files or steps, of which the one that failed is told by itself.
      if (failureType === "subtestsFailed") continue;
      failures.push({
        name: data.name,
        file: relative(process.cwd(), data.file ?? ""),
        why: (cause as Error | undefined)?.stack ?? message,
      });
    }
    if (type === "test:summary" && data.file === undefined) {
      yield `\n${failures.map(({ name, file, why }) => `\nFAILED ${file}: ${name}\n${why}\n`).join("")}`;
      const { tests, passed, skipped, todo } = data.counts;
      const failed = tests - passed - skipped - todo;
      yield `\n${passed - gathered} passed, ${failed} failed, ${skipped} skipped\n`;
    }
  }
}

// The test runner takes a reporter by its default export.
// oxlint-disable-next-line import/no-default-export
export default summarise;
