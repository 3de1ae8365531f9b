import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { parse as parseForm } from "node:querystring";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { explain, Problem } from "#platform/contract/problem.ts";

// JSON, form and raw bodies are buffered completely, usually up to 1 MiB each, and a client may have many connections.
// So the memory for all bodies being received is limited.

// The limit is enough for sixty-four bodies of 1 MiB.
const mostArrivingBytes = 64 * 1024 * 1024;
/**
 * The first 16 KiB of each body do not count towards the limit, so that small requests are served even when the limit
 * is reached.
 */
const freeBytes = 16 * 1024;
// Keys of a form beyond this number are ignored. Every form has far fewer keys.
const mostFormKeys = 1000;

/**
 * An empty JSON body is read as undefined. `__proto__` and repeated keys are harmless, since schemas pick known keys
 * only.
 */
export function readBodies(app: FastifyInstance): void {
  const collect = openCollector();
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await collect(request, payload);
    // Decoding replaces what is not UTF-8, so the text would be stored without the letters that were sent.
    if (!isUtf8(bytes)) throw explain("badFormat", "请求体应为 UTF-8 编码", "the request body must be UTF-8");
    const text = bytes.toString();
    try {
      return text === "" ? undefined : (JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) as unknown);
    } catch {
      throw explain("badFormat", "请求体不是合法的 JSON", "the request body is not valid JSON");
    }
  });
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    async (request: FastifyRequest, payload: IncomingMessage) =>
      parseForm((await collect(request, payload)).toString(), "&", "=", { maxKeys: mostFormKeys }),
  );
}

export function readRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", openCollector());
}

export function passBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
}

// A login has two short fields, but the parser would read twenty thousand fields from a body of 1 MiB, which would take
// 0.2 s.
const mostFormBytes = 64 * 1024;

export function readMultipartFields(scope: FastifyInstance): void {
  const options = { parseAs: "buffer" } as const;
  scope.addContentTypeParser("multipart/form-data", options, async ({ headers }: FastifyRequest, body: Buffer) => {
    if (body.length > mostFormBytes) throw new Problem("bodyTooLarge");
    if (body.length === 0) return undefined;
    const contentType = headers["content-type"] ?? "";
    const response = new Response(new Uint8Array(body), { headers: { "content-type": contentType } });
    const form = await response.formData().catch(() => {
      throw explain("badFormat", "multipart 请求体无法解析", "the multipart body is malformed");
    });
    const values = [...new Set(form.keys())].map((name) => [name, form.getAll(name)] as const);
    return Object.fromEntries(values.map(([name, all]) => [name, all.length > 1 ? all : all[0]]));
  });
}

const crowded = {
  zh: "正在接收的大请求过多，请稍后再试",
  en: "too many large requests are in progress; try again later",
};

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
      const fail = (): void => refuse(explain("badFormat", "请求体不完整", "the request body is incomplete"));
      payload.on("data", take).on("end", end).on("error", fail);
    });
}
