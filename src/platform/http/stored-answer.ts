import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { chooseLanguage, type Language } from "#platform/contract/language.ts";
import { chooseEncoding, compress, type Encoding } from "#platform/http/compression.ts";

/** A text that is the same for every request: it is compressed once for each encoding, and known again by its ETag. */
export interface StoredAnswer {
  readonly body: Buffer;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly encoded: Map<Encoding, Promise<Buffer>>;
}

// Of a script of 4.3 MB, quality 6 makes 1.07 MB in 0.07 s; 9 makes 1.05 in 0.28, and 11 makes 0.94 in 6.3.
const quality = 6;

/** The name of a content: 16 characters of its SHA-256, safe in a path. */
export const nameContent = (body: Buffer | string): string =>
  createHash("sha256").update(body).digest("base64url").slice(0, 16);

/** Prepares a text; "no-cache" makes browsers ask whether it has changed, which the ETag answers cheaply. */
export function storeAnswer(text: string, headers: Readonly<Record<string, string>>): StoredAnswer {
  const body = Buffer.from(text);
  return {
    body,
    etag: nameContent(body),
    headers: { "cache-control": "no-cache", ...headers },
    encoded: new Map(),
  };
}

/** Prepares a file that has been compressed beforehand. */
export function storeCompressed(
  body: Buffer,
  compressed: Readonly<Partial<Record<Encoding, Buffer>>>,
  headers: Readonly<Record<string, string>>,
): StoredAnswer {
  const encoded = Object.entries(compressed).map(
    ([name, bytes]) => [name as Encoding, Promise.resolve(bytes)] as const,
  );
  return { body, etag: nameContent(body), headers, encoded: new Map(encoded) };
}

/** Sends it in the best encoding that the client takes, or 304 when the client has it. */
export async function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: StoredAnswer,
): Promise<FastifyReply> {
  const encoding = chooseEncoding(request.headers["accept-encoding"]);
  const etag = `"${answer.etag}${encoding ? `-${encoding}` : ""}"`;
  const varies = [reply.getHeader("vary"), answer.headers["vary"], "accept-encoding"].filter(
    (name) => name !== undefined,
  );
  reply.headers({ ...answer.headers, etag, vary: varies.join(", ") });
  if (namesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (!encoding) return reply.send(answer.body);
  return reply.header("content-encoding", encoding).send(await encode(answer, encoding));
}

/** Prepares a text in both languages; what is returned sends the one that the client prefers. */
export function storeBilingual(store: (language: Language) => StoredAnswer) {
  const stored = { zh: store("zh"), en: store("en") };
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendStored(request, reply, stored[chooseLanguage(request.headers["accept-language"])]);
}

function encode({ body, encoded }: StoredAnswer, encoding: Encoding): Promise<Buffer> {
  const done = encoded.get(encoding) ?? compress(body, encoding, quality);
  encoded.set(encoding, done);
  return done;
}

// Proxies that compress by themselves weaken the ETag, which must still be known again.
const namesEtag = (header: string | undefined, etag: string): boolean =>
  (header ?? "").split(",").some((part) => part.trim().replace(/^W\//, "") === etag || part.trim() === "*");
