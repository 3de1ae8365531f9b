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
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: IncomingMessage) => {
    const text = (await collect(request, payload)).toString();
    try {
      return text === "" ? undefined : (JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) as unknown);
    } catch {
      throw explain("badFormat", "请求体不是合法的 JSON", "the body is not valid JSON");
    }
  });
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    async (request: FastifyRequest, payload: IncomingMessage) =>
      parseForm((await collect(request, payload)).toString(), "&", "=", { maxKeys: mostFormKeys }),
  );
}

/** For operations that look at the bytes themselves, such as at a signature over them: none is an empty Buffer. */
export function readRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", openCollector());
}

/** For operations whose handlers read the body as it comes, and count what they read. */
export function passBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
}

// A login has two short fields. Of a mebibyte of tiny parts the parser would make twenty thousand, in a fifth of a second.
const mostFormBytes = 64 * 1024;

/** Lets the routes of the scope take multipart form fields as they take urlencoded ones; a name that stands twice is an array. */
export function readMultipartFields(scope: FastifyInstance): void {
  const options = { parseAs: "buffer" } as const;
  scope.addContentTypeParser("multipart/form-data", options, async ({ headers }: FastifyRequest, body: Buffer) => {
    if (body.length > mostFormBytes) throw new Problem("bodyTooLarge");
    if (body.length === 0) return undefined;
    const contentType = headers["content-type"] ?? "";
    const response = new Response(new Uint8Array(body), { headers: { "content-type": contentType } });
    const form = await response.formData().catch(() => {
      throw explain("badFormat", "multipart 内容无法读取", "the multipart body cannot be read");
    });
    const values = [...new Set(form.keys())].map((name) => [name, form.getAll(name)] as const);
    return Object.fromEntries(values.map(([name, all]) => [name, all.length > 1 ? all : all[0]]));
  });
}

const crowded = { zh: "正在接收的请求过多，请稍后再试", en: "too many large requests are arriving, try again later" };

/** Reads a body to its end, as long as it keeps to the operation's limit and there is room for it. */
function openCollector() {
  let arriving = 0;
  return ({ headers, routeOptions: { bodyLimit } }: FastifyRequest, payload: IncomingMessage): Promise<Buffer> =>
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
        else if (more > 0 && arriving > mostArrivingBytes)
          refuse(new Problem("tooManyRequests", { detail: crowded, headers: { "retry-after": "5" } }));
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
