import { fetchPage, suspectLine } from "#shared/call/line.ts";

type Load = () => Promise<unknown>;

const failed = new Set<Load>();

export class CodeFailure extends Error {
  /** Whether it has failed before since the page was opened: the browser then does not even ask for it. */
  readonly isKept: boolean;
  constructor(cause: unknown, isKept: boolean) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.isKept = isKept;
  }
}

/**
 * Loads a part of the console. A browser keeps a module that could not be fetched, and whatever imports it, as failed
 * for as long as the page lives, under whatever other address it is asked for: only a reload asks the server again.
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

/** Why code did not come: the server is away, it has a newer console, or none of these. */
export type CodeLack = "away" | "newer" | "unclear";

export async function findCodeLack(): Promise<CodeLack> {
  const page = await fetchPage();
  if (page === undefined) return "away";
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src.split("/").at(-1) ?? "";
  return page.includes(entry) ? "unclear" : "newer";
}
