import { fetchPage, suspectLine } from "#shared/call/line.ts";

type Load = () => Promise<unknown>;

const failed = new Set<Load>();

export class CodeFailure extends Error {
  /** True if the module failed before on this page, so that the browser repeats the failure without a request. */
  readonly isKept: boolean;
  constructor(cause: unknown, isKept: boolean) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.isKept = isKept;
  }
}

/**
 * A browser caches a failed module, and the modules that import it, for the page's lifetime, so only a reload can
 * retry.
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

/** `away`: the server is down; `newer`: the server has a newer build; `unclear`: neither. */
export type CodeLack = "away" | "newer" | "unclear";

export async function findCodeLack(): Promise<CodeLack> {
  const page = await fetchPage();
  if (page === undefined) return "away";
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src.split("/").at(-1) ?? "";
  return page.includes(entry) ? "unclear" : "newer";
}
