import { type Value, toParameter } from "./values.ts";

export type Part = Value | Fragment;

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
  readonly name?: string;
}
export type Parameter = ReturnType<typeof toParameter>;

export const sql = Object.assign(
  (texts: TemplateStringsArray, ...parts: readonly Part[]) => new Fragment(texts, parts),
  {
    /** The text must come from the code, such as a column list, and never from a request. */
    raw: (text: string): Fragment => new Fragment([text], []),
    identifier: (name: string): Fragment =>
      new Fragment([`"${name.replaceAll('"', '""').replaceAll(".", '"."')}"`], []),
    join: (fragments: readonly Fragment[], between: string): Fragment =>
      new Fragment(["", ...fragments.slice(1).map(() => between), ""], fragments),
  },
);

// The strings of a template are the same object at each evaluation, so they can be the key of a cache.
const plainTexts = new WeakMap<readonly string[], string>();

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
 * At most this many statement texts get a name, under which each connection prepares them once. The product has some
 * hundreds of texts, and only combinations of filters could exceed the limit.
 */
export const mostNames = 1000;
const names = new Map<string, { readonly name: string; readonly text: string }>();
let named = 0;

/**
 * The number of names assigned so far. A connection is replaced after too many new names, which limits the statements
 * it has prepared.
 */
export const countNames = (): number => named;

export const forgetNames = (): void => names.clear();

export function prepare(text: string, values: readonly Parameter[]): Query {
  let known = names.get(text);
  if (known === undefined) {
    const [oldest] = names.keys();
    if (names.size >= mostNames && oldest !== undefined) names.delete(oldest);
    names.set(text, (known = { name: `quintet_${++named}`, text }));
  }
  // The cached text is returned, so that the driver can quickly compare it with the text that it prepared.
  return { name: known.name, text: known.text, values };
}
