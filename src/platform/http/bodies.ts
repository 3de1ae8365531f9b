import type { IncomingMessage } from "node:http";
import { parse as parseForm } from "node:querystring";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { explain, Problem } from "#platform/contract/problem.ts";

// Bodies of JSON and of forms are in memory until their last byte is there. Each may be a megabyte, and a client may keep
// as many on the way as it has connections: so all that are on the way share a bounded room.

// Sixty-four full ones; of the campus's pushes, some ten thousand.
const mostArrivingBytes = 64 * 1024 * 1024;
/** So much of each body counts for nothing: whoever sends no more is served however many others fill the room. */
const freeBytes = 16 * 1024;
// As many as the longest form has, thrice over; the rest of a form made of names alone is not read.
const mostFormKeys = 1000;

/** An empty body is none; `__proto__` and repeated keys are harmless, since schemas pick the keys that they know. */
export function readBodies(app: FastifyInstance): void {
  const collect = openCollector();
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: IncomingMessage) =>
    parseJson((await collect(request, payload)).toString()),
  );
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    async (request: FastifyRequest, payload: IncomingMessage) =>
      parseForm((await collect(request, payload)).toString(), "&", "=", { maxKeys: mostFormKeys }),
  );
}

/** For operations that look at the bytes themselves, such as at a signature over them: none is an empty Buffer. */
export function readRawBodies(app: FastifyInstance): void {
  const collect = openCollector();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request: FastifyRequest, payload: IncomingMessage) => collect(request, payload));
}

function parseJson(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch {
    throw explain("badFormat", "请求体不是合法的 JSON", "the body is not valid JSON");
  }
}

// A login has two short fields. Of a mebibyte of tiny parts the parser would make twenty thousand, in a fifth of a second.
const mostFormBytes = 64 * 1024;

/** Lets the routes of the scope take multipart form fields as they take urlencoded ones; a name that stands twice is an array. */
export function readMultipartFields(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    "multipart/form-data",
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length > mostFormBytes) throw new Problem("bodyTooLarge");
      return body.length === 0 ? undefined : parseMultipart(body, request.headers["content-type"] ?? "");
    },
  );
}

async function parseMultipart(body: Buffer, contentType: string): Promise<Record<string, unknown>> {
  const response = new Response(new Uint8Array(body), { headers: { "content-type": contentType } });
  const form = await response.formData().catch(() => {
    throw explain("badFormat", "multipart 内容无法读取", "the multipart body cannot be read");
  });
  return Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const [value, ...others] = form.getAll(name);
      return [name, others.length > 0 ? [value, ...others] : value];
    }),
  );
}

type Collect = (request: FastifyRequest, payload: IncomingMessage) => Promise<Buffer>;

/** Reads a body to its end, as long as it keeps to the operation's limit and there is room for it. */
function openCollector(): Collect {
  let arriving = 0;
  return ({ headers, routeOptions: { bodyLimit } }, payload) =>
    new Promise((resolve, reject) => {
      if (Number(headers["content-length"]) > bodyLimit) return reject(new Problem("bodyTooLarge"));
      const chunks: Buffer[] = [];
      let length = 0;
      let counted = 0;
      const leave = (): void => {
        payload.off("data", take).off("end", end).off("error", fail);
        arriving -= counted;
      };
      const refuse = (problem: Problem): void => {
        leave();
        payload.pause();
        reject(problem);
      };
      const take = (chunk: Buffer): void => {
        length += chunk.length;
        chunks.push(chunk);
        const more = Math.max(0, length - freeBytes) - counted;
        counted += more;
        arriving += more;
        if (length > bodyLimit) refuse(new Problem("bodyTooLarge"));
        else if (more > 0 && arriving > mostArrivingBytes) refuse(crowded());
      };
      const end = (): void => {
        leave();
        const [only] = chunks;
        resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, length));
      };
      const fail = (): void => refuse(explain("badFormat", "请求体不完整", "the body is cut off"));
      payload.on("data", take).on("end", end).on("error", fail);
    });
}

function crowded(): Problem {
  const detail = { zh: "正在接收的请求过多，请稍后再试", en: "too many large requests are arriving, try again later" };
  return new Problem("tooManyRequests", { detail, headers: { "retry-after": "5" } });
}
