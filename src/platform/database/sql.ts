import { type Value, toParameter } from "./values.ts";

/** What may stand in a template: a value, for which $1, $2 … is written, or a piece of SQL, which is written as it is. */
export type Part = Value | Fragment;

/** A piece of SQL with the values that stand in it; it does nothing by itself. */
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
  /** Under which it is prepared; left out, it is planned each time. */
  readonly name?: string;
}
export type Parameter = ReturnType<typeof toParameter>;

/** Makes a piece of SQL, to stand in others or to be run: sql`where id = ${id}`. */
export const sql = Object.assign(
  (texts: TemplateStringsArray, ...parts: readonly Part[]) => new Fragment(texts, parts),
  {
    /** SQL out of the code itself, such as a list of columns; never anything of a request. */
    raw: (text: string): Fragment => new Fragment([text], []),
    /** A name as PostgreSQL quotes it: of a table with its schema, of a column. */
    identifier: (name: string): Fragment =>
      new Fragment([`"${name.replaceAll('"', '""').replaceAll(".", '"."')}"`], []),
    /** One after the other with the text between. */
    join: (fragments: readonly Fragment[], between: string): Fragment =>
      new Fragment(["", ...fragments.slice(1).map(() => between), ""], fragments),
  },
);

// A template is the same object each time it is reached, so the text of one without fragments is made once.
const plainTexts = new WeakMap<readonly string[], string>();

/** A template, or the texts and parts of a fragment, as a statement that is prepared. */
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
 * So many texts have a name at a time, and each is planned once on each connection. The product has some hundreds;
 * only what a caller can make endless, such as filters in every combination, comes near.
 */
export const mostNames = 1000;
const names = new Map<string, { readonly name: string; readonly text: string }>();
let named = 0;

/** How many texts have had a name: what a connection has prepared is no more than how many have had one since it began. */
export const countNames = (): number => named;

/** Gives every text another name, so that it is planned anew wherever it runs. */
export const forgetNames = (): void => names.clear();

/** A text with its values, under the text's name. */
export function prepare(text: string, values: readonly Parameter[]): Query {
  let known = names.get(text);
  if (known === undefined) {
    const [oldest] = names.keys();
    if (names.size >= mostNames && oldest !== undefined) names.delete(oldest);
    names.set(text, (known = { name: `quintet_${++named}`, text }));
  }
  // The text that is known, not the one at hand: the driver compares it with the one it prepared.
  return { name: known.name, text: known.text, values };
}
