/**
 * Database errors are reduced to their name, code, constraint, table and stack, because their messages and details
 * quote values. Other errors keep their name, code, message and stack.
 */
export function toLoggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: typeof error };
  const { code, constraint, table, severity } = error as unknown as Record<string, unknown>;
  const frames = (error.stack ?? "").split("\n").filter((line) => line.trimStart().startsWith("at "));
  const stack = frames
    .slice(0, 12)
    .map((line) => line.trim())
    .join(" | ");
  if (severity !== undefined) return { kind: error.name, code, constraint, table, stack };
  return { kind: error.name, code, message: error.message, stack };
}
