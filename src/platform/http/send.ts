import { hash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  type Endpoint,
  type FileAnswer,
  guestsOf,
  type KeptDocument,
  type OwnReply,
  type StreamedAnswer,
  type Subscribe,
} from "#platform/contract/endpoint.ts";
import { writeSuccess } from "#platform/contract/envelope.ts";
import { chooseLanguage, type Language } from "#platform/contract/language.ts";
import { tokenHeaders } from "#platform/http/access.ts";
import { openEventStreams } from "#platform/http/event-stream.ts";
import type { Platform } from "#platform/process/platform.ts";

type Sender = (request: FastifyRequest, reply: FastifyReply, output: unknown) => FastifyReply | Promise<FastifyReply>;

export const contentTypes = {
  html: "text/html; charset=utf-8",
  json: "application/json; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
} as const;

export function compileSender(app: FastifyInstance, endpoint: Endpoint, platform: Platform): Sender {
  const { streams, settings, retired } = platform;
  const { answer, caching = "no-cache" } = endpoint;
  if (answer.as === "text") return (_request, reply, output) => reply.type("text/plain; charset=utf-8").send(output);
  if (answer.as === "reply")
    return (_request, reply, output) => {
      const { status, headers, body } = output as OwnReply;
      return reply
        .code(status)
        .headers(headers)
        .send(body === "" ? undefined : body);
    };
  if (answer.as === "document") {
    const stored = new WeakMap<KeptDocument, StoredAnswer>();
    const headers = { "content-type": answer.mime, "cache-control": caching };
    const store = ({ text }: KeptDocument) => storeAnswer(text, headers);
    return (request, reply, output) =>
      sendStored(request, reply, stored.getOrInsertComputed(output as KeptDocument, store));
  }
  if (answer.as === "events") {
    // Event streams may use half of the connections, so that the other half is left for requests.
    const sendEvents = openEventStreams(app, Math.floor(settings.MAX_CONNECTIONS / 2), retired);
    return (request, reply, output) =>
      request.method === "HEAD"
        ? reply.type("text/event-stream; charset=utf-8").send()
        : sendEvents(reply, output as Subscribe);
  }
  const compresses = isCompressible(endpoint);
  const sendJson = (request: FastifyRequest, reply: FastifyReply, json: string) => {
    const body = Buffer.from(json);
    reply.header("content-type", contentTypes.json);
    const encoding =
      compresses && body.length >= leastBytes ? chooseEncoding(request.headers["accept-encoding"]) : undefined;
    if (!encoding) return reply.send(body);
    return compress(body, encoding).then((packed) => reply.header("content-encoding", encoding).send(packed));
  };
  if (answer.as === "bare") return (request, reply, output) => sendJson(request, reply, JSON.stringify(output));
  if (answer.as === "envelope" && !answer.streamed)
    return (request, reply, output) => sendJson(request, reply, writeSuccess(output, request.language));
  return async (request, reply, output) => {
    if (isStreamed(output)) return sendStreamed(request, reply, output, streams, compresses);
    if (typeof output === "object" && output !== null && "headers" in output)
      return sendFile(reply, output as FileAnswer);
    return sendJson(request, reply, writeSuccess(output, request.language));
  };
}

const isCompressible = ({ answer, holdsSecret }: Endpoint): boolean =>
  (answer.as === "envelope" || answer.as === "bare") && holdsSecret !== true;

export function describeVariants(endpoint: Endpoint): string {
  const { who, ...access } = endpoint.access;
  const isShownMore = "orAdministrator" in access;
  const guests = guestsOf(endpoint.access);
  return [
    "accept-language",
    ...((who === "anyone" && !isShownMore) || who === "guest" ? [] : tokenHeaders),
    ...Object.keys({ ...guests?.headers, ...endpoint.headers }),
    ...(who === "download" || isShownMore ? ["cookie"] : []),
    ...(isCompressible(endpoint) ? ["accept-encoding"] : []),
  ].join(", ");
}

const isStreamed = (output: unknown): output is StreamedAnswer =>
  typeof output === "object" && output !== null && "open" in output && typeof output.open === "function";

async function sendStreamed(
  request: FastifyRequest,
  reply: FastifyReply,
  { open, headers }: StreamedAnswer,
  streams: Platform["streams"],
  compressible: boolean,
): Promise<FastifyReply> {
  if (request.method === "HEAD") return sendFile(reply, { headers });
  const compresses = compressible && headers["content-type"] === contentTypes.json;
  const encoding = compresses ? chooseEncoding(request.headers["accept-encoding"]) : undefined;
  const stream = await streams(open);
  if (!encoding) return sendFile(reply, { headers, stream });
  const packer = encoding === "br" ? createBrotliCompress(brotliOf(4)) : createGzip();
  return sendFile(reply, {
    headers: { ...headers, "content-encoding": encoding },
    // If either stream ends early, the pipeline closes the other.
    stream: pipeline(stream, packer, () => undefined),
  });
}

// Without a payload, Fastify would answer HEAD with a content length of 0.
const sendFile = (reply: FastifyReply, { status = 200, stream, headers }: FileAnswer): FastifyReply =>
  reply
    .code(status)
    .headers(headers)
    .send(stream ?? Readable.from([]));

type Encoding = "br" | "gzip";

function chooseEncoding(header: string | string[] | undefined): Encoding | undefined {
  const wanted = String(header ?? "")
    .split(",")
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part));
  const taken = new Set(wanted.map((part) => part.split(";")[0]?.trim().toLowerCase()));
  return (["br", "gzip"] as const).find((encoding) => taken.has(encoding));
}

// An answer below this size is not compressed, because it fits into a few packets anyway.
const leastBytes = 8 * 1024;

// Answers are compressed at quality 4, which is the fastest: brotli compresses an answer of 1.3 MB to 92 kB in 15 ms at
// quality 4, and to 70 kB in 28 ms at quality 5; gzip compresses it to 42 kB in 23 ms at its default level 6.
const brotliOf = (quality: number, bytes = 0) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes },
});

const compress = (body: Buffer, encoding: Encoding, quality = 4): Promise<Buffer> =>
  encoding === "br"
    ? promisify(brotliCompress)(body, brotliOf(quality, body.length))
    : promisify<Buffer, Buffer>(gzip)(body);

export interface StoredAnswer {
  readonly body: Buffer;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly encoded: Map<Encoding, Buffer | Promise<Buffer>>;
}

// For a script of 4.3 MB, brotli quality 6 yields 1.07 MB in 0.07 s, 9 yields 1.05 MB in 0.28 s, and 11 yields 0.94 MB
// in 6.3 s.
const quality = 6;

export const nameContent = (body: Buffer | string): string => hash("sha256", body, "base64url").slice(0, 16);

export function storeAnswer(
  content: string | Buffer,
  headers: Readonly<Record<string, string>>,
  compressed: Readonly<Partial<Record<Encoding, Buffer>>> = {},
): StoredAnswer {
  const body = typeof content === "string" ? Buffer.from(content) : content;
  const encoded = new Map(Object.entries(compressed) as [Encoding, Buffer][]);
  return { body, etag: nameContent(body), headers: { "cache-control": "no-cache", ...headers }, encoded };
}

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
  // A proxy that compresses answers marks the ETag as weak (W/), but it must still match.
  const known = (request.headers["if-none-match"] ?? "").split(",").map((part) => part.trim().replace(/^W\//, ""));
  if (known.some((one) => one === etag || one === "*")) return reply.code(304).send();
  if (!encoding) return reply.send(answer.body);
  const encoded = answer.encoded.getOrInsertComputed(encoding, () => compress(answer.body, encoding, quality));
  return reply.header("content-encoding", encoding).send(await encoded);
}

export function storeBilingual(store: (language: Language) => StoredAnswer) {
  const stored = { zh: store("zh"), en: store("en") };
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendStored(request, reply, stored[chooseLanguage(request.headers["accept-language"])]);
}
