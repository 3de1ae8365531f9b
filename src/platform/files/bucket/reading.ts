import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { ByteRange, OpenedFile } from "#platform/files/file-store.ts";
import { readText, readElement, toFault } from "./answers.ts";
import { type Reply, type Send, StoreFault } from "./exchange.ts";
import { checksumHeader } from "./putting.ts";

const mostResumes = 3;

/** Opens a file of the bucket, or a range of it; undefined where there is none under the key. */
export async function openFile(send: Send, key: string, range?: ByteRange): Promise<OpenedFile | undefined> {
  const first = await send({ method: "GET", key, headers: range ? toRangeHeader(range.start, range.end) : {} });
  if (first.statusCode === 404 || first.statusCode === 416) {
    const text = await readText(first);
    if (["NoSuchKey", "InvalidRange"].includes(readElement(text, "Code") ?? ""))
      return first.statusCode === 404 ? undefined : { bytes: 0, stream: Readable.from([]) };
    throw toFault(first, text);
  }
  if (first.statusCode !== (range ? 206 : 200)) throw toFault(first, await readText(first));
  const bytes = Number(first.headers["content-length"]);
  const start = range?.start ?? 0;
  // Of the file that was begun with, and of no other.
  const resume = (from: number): Promise<Reply> =>
    send({
      method: "GET",
      key,
      headers: { ...toRangeHeader(start + from, start + bytes - 1), "if-match": String(first.headers["etag"]) },
    });
  const sha256 = range ? undefined : first.headers[checksumHeader];
  return { bytes, stream: toStream({ first, bytes, resume, ...(typeof sha256 === "string" && { sha256 }) }) };
}

const toRangeHeader = (start: number, end: number) => ({ range: `bytes=${start}-${end}` });

interface Reading {
  readonly first: Reply;
  readonly bytes: number;
  /** The rest, from so many bytes on. */
  readonly resume: (from: number) => Promise<Reply>;
  /** What all of it must add up to. */
  readonly sha256?: string;
}

/**
 * The bytes as they come; where they break off or stand still, the rest is asked for. What does not add up to the checksum ends
 * in an error before its last piece, so that nobody takes it for whole.
 */
function toStream(reading: Reading): Readable {
  const source = openSource(reading);
  const stream = Readable.from(checkWhole(source.pieces, reading.sha256), { objectMode: false });
  // A stream that is destroyed before it was read never enters its generators.
  return stream.once("close", source.end);
}

interface Source {
  readonly pieces: AsyncGenerator<Buffer>;
  readonly end: () => void;
}

function openSource({ first, bytes, resume }: Reading): Source {
  let body = first.body;
  let isOver = false;
  async function* read(): AsyncGenerator<Buffer> {
    let pieces = body[Symbol.asyncIterator]();
    for (let done = 0, resumes = 0; done < bytes;) {
      const piece = await pieces.next().catch((error: unknown) => ({ done: true as const, value: error }));
      if (piece.done !== true) {
        done += (piece.value as Buffer).length;
        yield piece.value as Buffer;
        continue;
      }
      if (isOver || ++resumes > mostResumes) throw new StoreFault("a file that breaks off", piece.value);
      const reply = await resume(done);
      body = reply.body;
      if (isOver || reply.statusCode !== 206) {
        body.destroy();
        throw toFault(reply, "");
      }
      pieces = body[Symbol.asyncIterator]();
    }
  }
  return {
    pieces: read(),
    end() {
      isOver = true;
      body.on("error", () => undefined).destroy();
    },
  };
}

async function* checkWhole(pieces: AsyncIterable<Buffer>, sha256: string | undefined): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let last: Buffer | undefined;
  for await (const piece of pieces) {
    hash.update(piece);
    if (last) yield last;
    last = piece;
  }
  if (sha256 !== undefined && hash.digest("hex") !== sha256) throw new StoreFault("a file with another checksum");
  if (last) yield last;
}
