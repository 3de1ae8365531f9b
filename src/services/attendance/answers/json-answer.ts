import { Readable } from "node:stream";
import { succeed } from "#platform/contract/envelope.ts";
import type { Language } from "#platform/contract/language.ts";

// A month of eight thousand rows is thirty megabytes of JSON. The database keeps each row as it goes out, so the answer
// is put together from texts, without making objects of them, and leaves while it is being made.

/** Of what `streamEnvelope` makes. */
export const jsonHeaders = { "content-type": "application/json; charset=utf-8" };
const mark = "\u0000rows\u0000";

/**
 * The envelope with a list of JSON texts in it.
 * @param place puts the list where it belongs in `data`: the list itself by itself, or one page of it.
 */
export function streamEnvelope(
  batches: AsyncIterable<readonly string[]>,
  language: Language,
  place: (list: string) => unknown = (list) => list,
): Readable {
  const [before = "", after = ""] = JSON.stringify(succeed(place(mark), language)).split(JSON.stringify(mark));
  return Readable.from(writeTexts(batches, before, after));
}

async function* writeTexts(
  batches: AsyncIterable<readonly string[]>,
  before: string,
  after: string,
): AsyncGenerator<Buffer> {
  let text = `${before}[`;
  let isFirst = true;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    text += `${isFirst ? "" : ","}${batch.join(",")}`;
    isFirst = false;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(`${text}]${after}`);
}
