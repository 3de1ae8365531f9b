import type { FastifyInstance } from "fastify";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { Envelope } from "#platform/contract/envelope.ts";
import type { Db } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Platform } from "#platform/process/platform.ts";

export interface DemoTools {
  /**
   * Calls an operation as the operator, with the given headers added, and returns the data of the envelope.
   * @throws {Error} if the operation fails
   */
  readonly call: (
    method: Endpoint["method"],
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<unknown>;
  readonly upload: (
    path: string,
    fileName: string,
    bytes: Buffer,
    fields?: Readonly<Record<string, string>>,
  ) => Promise<unknown>;
  readonly say: (line: string) => void;
  /** Database access for backdating records, which the API does not allow. */
  readonly db: Db;
}

// The functions are declared as methods, because parameters of methods are bivariant, so that demonstrations of
// different services fit one list.

export interface Demonstration<Own extends object = object> {
  load(tools: DemoTools, platform: Platform<Own>): Promise<void>;
  /** Starts the demonstration's background work within the server, each time the server starts. */
  wake?(tools: DemoTools): Promise<void>;
  settingsToLoad?(given: Settings & Own): Partial<Own>;
  settingsToServe?(given: Settings & Own): Partial<Own>;
}

type Sent = Readonly<{ payload?: object | Buffer; headers?: Readonly<Record<string, string>> }>;

export async function signIn(
  server: FastifyInstance,
  basePath: string,
  credentials: { readonly userName: string; readonly password: string },
): Promise<Pick<DemoTools, "call" | "upload">> {
  const inject = async (method: Endpoint["method"], path: string, sent: Sent): Promise<unknown> => {
    const answer = await server.inject({ method, url: basePath + path, ...sent });
    const { success = answer.statusCode === 200, message, data } = answer.json<Partial<Envelope>>();
    if (!success) throw new Error(`${method} ${path}: ${message}`);
    return data;
  };
  const { token } = (await inject("POST", "/platform/login", { payload: credentials })) as { token: string };
  const own = { admin_token: token };
  return {
    call: (method, path, body, headers) =>
      inject(method, path, {
        ...(body === undefined ? {} : { payload: body as object }),
        headers: { ...headers, ...own },
      }),
    upload: async (path, fileName, bytes, fields) => {
      const { payload, headers } = await toForm(fileName, bytes, fields);
      return inject("POST", path, { payload, headers: { ...headers, ...own } });
    },
  };
}

async function toForm(
  fileName: string,
  bytes: Buffer,
  fields: Readonly<Record<string, string>> = {},
): Promise<{ payload: Buffer; headers: Record<string, string> }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([new Uint8Array(bytes)]), fileName);
  const response = new Response(form);
  return {
    payload: Buffer.from(await response.arrayBuffer()),
    headers: { "content-type": response.headers.get("content-type") ?? "" },
  };
}
