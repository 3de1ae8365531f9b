import { type Reply, StoreFault } from "./exchange.ts";

// What a store answers in XML, of which names and ids of our own making are read: no entity is in them but that of a quote.

const mostTextBytes = 4 * 1024 ** 2;

/** The text of an answer. @throws {StoreFault} when it breaks off, or is longer than any page of a list. */
export async function readText({ body }: Reply): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostTextBytes) throw new Error("too long");
      chunks.push(chunk);
    }
  } catch (error) {
    throw new StoreFault("an answer that cannot be read", error);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export const readElement = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];

export const readElements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(([, inner = ""]) => inner);

/** The text of a success. @throws {StoreFault} for any other answer, with the store's own code. */
export async function readSuccess(reply: Reply): Promise<string> {
  const text = await readText(reply);
  // A store that completes an upload begins its answer before it knows: an error can follow the status of a success.
  if (reply.statusCode >= 300 || text.includes("<Error>")) throw toFault(reply, text);
  return text;
}

/** A code of the store's, such as SlowDown, names nobody and no file. */
export const toFault = ({ statusCode }: Reply, text: string): StoreFault =>
  new StoreFault(`status ${statusCode} ${/^[A-Za-z0-9]{1,64}$/.exec(readElement(text, "Code") ?? "")?.[0] ?? ""}`);
