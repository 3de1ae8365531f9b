import type { Doing } from "./otlp.ts";

// The same texts come again and again; what callers can make endless, such as filters, must not stay for ever.
const mostKnown = 1000;
const known = new Map<string, Doing>();

/** How the span of a statement is called: what it does, and to which table first, as in "SELECT platform.session". */
export function describeStatement(text: string): Doing {
  const found = known.get(text);
  if (found) return found;
  if (known.size >= mostKnown) known.clear();
  const [operation = ""] = /[a-z]+/i.exec(text) ?? [];
  // A column may ask whether another table has something; that table is not what the statement is about.
  const asked = text.replace(/\bexists\s*\([^()]*\)/gi, "");
  const [, table] = /\b(?:from|into|update|copy|join)\s+(?:only\s+)?([a-z_]+\.[a-z_]+)/i.exec(asked) ?? [];
  const verb = operation.toUpperCase();
  const described: Doing = {
    kind: "client",
    name: table === undefined ? verb : `${verb} ${table}`,
    facts: { "db.system.name": "postgresql", "db.query.text": text.replace(/\s+/g, " ").trim() },
  };
  known.set(text, described);
  return described;
}
