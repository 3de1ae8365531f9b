import { readElement, readElements, readSuccess } from "./answers.ts";
import type { Send } from "./exchange.ts";

export interface StoredObject {
  readonly key: string;
  readonly modifiedAt: number;
}

/** What lies below a prefix of the bucket, a page at a time. */
export async function* listObjects(send: Send, prefix: string): AsyncGenerator<StoredObject[]> {
  let next: Record<string, string> | undefined = {};
  while (next) {
    const page: string = await readSuccess(await send({ method: "GET", query: { "list-type": "2", prefix, ...next } }));
    yield readElements(page, "Contents").map((entry) => ({
      key: readElement(entry, "Key") ?? "",
      modifiedAt: Date.parse(readElement(entry, "LastModified") ?? ""),
    }));
    const token = readElement(page, "NextContinuationToken");
    next = token === undefined ? undefined : { "continuation-token": token };
  }
}
