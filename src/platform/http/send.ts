import { Readable } from "node:stream";
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
import { tokenHeaders } from "#platform/http/access.ts";
import { chooseEncoding, compress, compressStream, isWorthCompressing } from "#platform/http/compression.ts";
import { openEventStreams } from "#platform/http/event-stream.ts";
import { sendStored, type StoredAnswer, storeAnswer } from "#platform/http/stored-answer.ts";
import type { Platform } from "#platform/process/platform.ts";

/** Sends what a handler returned. */
export type Sender = (
  request: FastifyRequest,
  reply: FastifyReply,
  output: unknown,
) => FastifyReply | Promise<FastifyReply>;

const jsonType = "application/json; charset=utf-8";

/** How the answers of an operation leave. */
export function compileSender(app: FastifyInstance, endpoint: Endpoint, platform: Platform): Sender {
  const send = chooseSender(app, endpoint, platform);
  const { caching } = endpoint;
  if (caching === undefined) return send;
  return (request, reply, output) => send(request, reply.header("cache-control", caching), output);
}

function chooseSender(app: FastifyInstance, endpoint: Endpoint, { streams, settings, retired }: Platform): Sender {
  const { answer } = endpoint;
  if (answer.as === "text") return (_request, reply, output) => reply.type("text/plain; charset=utf-8").send(output);
  if (answer.as === "reply") return sendReply;
  if (answer.as === "document") return compileDocumentSender(answer.mime, endpoint.caching ?? "no-cache");
  if (answer.as === "events") {
    // The other half is left to those who ask and go.
    const sendEvents = openEventStreams(app, Math.floor(settings.MAX_CONNECTIONS / 2), retired);
    return (request, reply, output) =>
      request.method === "HEAD"
        ? reply.type("text/event-stream; charset=utf-8").send()
        : sendEvents(reply, output as Subscribe);
  }
  const sendJson = isCompressible(endpoint) ? sendPacked : sendPlain;
  if (answer.as === "bare") return (request, reply, output) => sendJson(request, reply, JSON.stringify(output));
  if (answer.as === "envelope" && !answer.streamed)
    return (request, reply, output) => sendJson(request, reply, writeSuccess(output, request.language));
  return async (request, reply, output) => {
    if (isStreamed(output)) return sendStreamed(request, reply, output, streams, isCompressible(endpoint));
    if (isFile(output)) return sendFile(reply, output);
    return sendJson(request, reply, writeSuccess(output, request.language));
  };
}

function sendReply(_request: FastifyRequest, reply: FastifyReply, output: unknown): FastifyReply {
  const { status, headers, body } = output as OwnReply;
  return reply
    .code(status)
    .headers(headers)
    .send(body === "" ? undefined : body);
}

function compileDocumentSender(mime: string, caching: string): Sender {
  const stored = new WeakMap<KeptDocument, StoredAnswer>();
  return (request, reply, output) => {
    const document = output as KeptDocument;
    const answer =
      stored.get(document) ?? storeAnswer(document.text, { "content-type": mime, "cache-control": caching });
    stored.set(document, answer);
    return sendStored(request, reply, answer);
  };
}

/** Whether large answers of the operation are packed for whoever takes them so. */
const isCompressible = ({ answer, holdsSecret }: Endpoint): boolean =>
  (answer.as === "envelope" || answer.as === "bare") && holdsSecret !== true;

/** By which headers of a request the answers of an operation differ. */
export function describeVariants(endpoint: Endpoint): string {
  const { who } = endpoint.access;
  const guests = guestsOf(endpoint.access);
  return [
    "accept-language",
    ...(who === "anyone" || who === "guest" ? [] : tokenHeaders),
    ...Object.keys({ ...guests?.headers, ...endpoint.headers }),
    ...(who === "download" ? ["cookie"] : []),
    ...(isCompressible(endpoint) ? ["accept-encoding"] : []),
  ].join(", ");
}

const sendPlain = (_request: FastifyRequest, reply: FastifyReply, json: string): FastifyReply =>
  reply.header("content-type", jsonType).send(Buffer.from(json));

function sendPacked(request: FastifyRequest, reply: FastifyReply, json: string): FastifyReply | Promise<FastifyReply> {
  const body = Buffer.from(json);
  const encoding = isWorthCompressing(body.length) ? chooseEncoding(request.headers["accept-encoding"]) : undefined;
  reply.header("content-type", jsonType);
  if (!encoding) return reply.send(body);
  return compress(body, encoding).then((packed) => reply.header("content-encoding", encoding).send(packed));
}

const isStreamed = (output: unknown): output is StreamedAnswer =>
  typeof output === "object" && output !== null && "open" in output && typeof output.open === "function";
const isFile = (output: unknown): output is FileAnswer =>
  typeof output === "object" && output !== null && "headers" in output;

async function sendStreamed(
  request: FastifyRequest,
  reply: FastifyReply,
  { open, headers }: StreamedAnswer,
  streams: Platform["streams"],
  compressible: boolean,
): Promise<FastifyReply> {
  if (request.method === "HEAD") return sendFile(reply, { headers });
  // A workbook is an archive, packed already.
  const packs = compressible && headers["content-type"] === jsonType;
  const encoding = packs ? chooseEncoding(request.headers["accept-encoding"]) : undefined;
  const stream = await streams(open);
  if (!encoding) return sendFile(reply, { headers, stream });
  return sendFile(reply, {
    headers: { ...headers, "content-encoding": encoding },
    stream: compressStream(stream, encoding),
  });
}

// Without any payload Fastify would say that a HEAD request's file has 0 bytes.
const sendFile = (reply: FastifyReply, { status = 200, stream, headers }: FileAnswer): FastifyReply =>
  reply
    .code(status)
    .headers(headers)
    .send(stream ?? Readable.from([]));
