import { type Value, toParameter } from "./values.ts";

/** A template argument: a value, written as $1, $2 …, or a fragment of SQL. */
export type Part = Value | Fragment;

/** A fragment of SQL with its values. */
export class Fragment {
  readonly texts: readonly string[];
  readonly parts: readonly Part[];
  constructor(texts: readonly string[], parts: readonly Part[]) {
    this.texts = texts;
    this.parts = parts;
  }
}

export interface Query {
  readonly text: string;
  readonly values: readonly Parameter[];
  /** The prepared statement's name; planned each time if omitted. */
  readonly name?: string;
}
export type Parameter = ReturnType<typeof toParameter>;

/** Creates a fragment: sql`where id = ${id}`. */
export const sql = Object.assign(
  (texts: TemplateStringsArray, ...parts: readonly Part[]) => new Fragment(texts, parts),
  {
    /** SQL from the code itself, such as a column list; never from a request. */
    raw: (text: string): Fragment => new Fragment([text], []),
    /** A quoted identifier, possibly schema-qualified. */
    identifier: (name: string): Fragment =>
      new Fragment([`"${name.replaceAll('"', '""').replaceAll(".", '"."')}"`], []),
    join: (fragments: readonly Fragment[], between: string): Fragment =>
      new Fragment(["", ...fragments.slice(1).map(() => between), ""], fragments),
  },
);

// A template is the same object at each evaluation, so its text is cached.
const plainTexts = new WeakMap<readonly string[], string>();

/** Converts a template or fragment to a prepared statement. */
export function toStatement(texts: readonly string[], parts: readonly Part[]): Query {
  const values: Parameter[] = [];
  if (parts.some(isFragment)) return prepare(write(texts, parts, values), values);
  let text = plainTexts.get(texts);
  if (text === undefined) plainTexts.set(texts, (text = write(texts, parts, [])));
  for (const part of parts) values.push(toParameter(part as Value));
  return prepare(text, values);
}

const isFragment = (part: Part): boolean => part instanceof Fragment;

function write(texts: readonly string[], parts: readonly Part[], values: Parameter[]): string {
  let text = texts[0] ?? "";
  for (const [index, part] of parts.entries()) {
    text += part instanceof Fragment ? write(part.texts, part.parts, values) : `$${values.push(toParameter(part))}`;
    text += texts[index + 1] ?? "";
  }
  return text;
}

/**
 * The number of texts with a name at a time, each planned once per connection. The product has some hundreds; only
 * unbounded filter combinations come near.
 */
export const mostNames = 1000;
const names = new Map<string, { readonly name: string; readonly text: string }>();
let named = 0;

/** How many names were assigned; bounds what a connection has prepared since it was opened. */
export const countNames = (): number => named;

/** Renames all texts, so that they are planned again. */
export const forgetNames = (): void => names.clear();

/** Assigns a text its prepared name. */
export function prepare(text: string, values: readonly Parameter[]): Query {
  let known = names.get(text);
  if (known === undefined) {
    const [oldest] = names.keys();
    if (names.size >= mostNames && oldest !== undefined) names.delete(oldest);
    names.set(text, (known = { name: `quintet_${++named}`, text }));
  }
  // The cached string, because the driver compares by identity with the prepared text.
  return { name: known.name, text: known.text, values };
}
