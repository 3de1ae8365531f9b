import { fetchPage, suspectLine } from "#shared/call/line.ts";

type Load = () => Promise<unknown>;

const failed = new Set<Load>();

export class CodeFailure extends Error {
  /** Whether it failed before on this page, so that the browser serves the failure from its module map. */
  readonly isKept: boolean;
  constructor(cause: unknown, isKept: boolean) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.isKept = isKept;
  }
}

/**
 * Loads a part of the console. A browser caches a failed module and its importers for the page's lifetime, under any
 * address, so only a reload retries.
 * @throws {CodeFailure}
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    suspectLine();
    const isKept = failed.has(load);
    failed.add(load);
    throw new CodeFailure(error, isKept);
  }
}

/** Why a module failed to load: the server is down, it has a newer build, or unknown. */
export type CodeLack = "away" | "newer" | "unclear";

export async function findCodeLack(): Promise<CodeLack> {
  const page = await fetchPage();
  if (page === undefined) return "away";
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src.split("/").at(-1) ?? "";
  return page.includes(entry) ? "unclear" : "newer";
}
