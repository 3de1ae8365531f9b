import type { FastifyInstance, FastifyRequest } from "fastify";
import { explain, Problem } from "#platform/contract/problem.ts";

// A login has two short fields. Of a mebibyte of tiny parts the parser would make twenty thousand, in a fifth of a second.
const mostBytes = 64 * 1024;

/** Lets the routes of the scope take multipart form fields as they take urlencoded ones; a name that stands twice is an array. */
export function readMultipartFields(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    "multipart/form-data",
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length > mostBytes) throw new Problem("bodyTooLarge");
      return body.length === 0 ? undefined : toFields(await parse(body, request.headers["content-type"] ?? ""));
    },
  );
}

async function parse(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  } catch {
    throw explain("badFormat", "multipart 内容无法读取", "the multipart body cannot be read");
  }
}

const toFields = (form: FormData): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const [value, ...others] = form.getAll(name);
      return [name, others.length > 0 ? [value, ...others] : value];
    }),
  );
