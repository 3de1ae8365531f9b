import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { describeOperation, type Draft, tokens, tokenSchemes } from "./operation.ts";
import { bareFailureSchema, failureSchema } from "./responses.ts";
import { SchemaWriter } from "./schema.ts";
import { type Components, shareParts } from "./shared-parts.ts";

const infoDescription =
  "Most responses are an envelope of `success`, `message`, `code` and `data`; a few operations return plain text, a file or a body of their own. " +
  "Messages are in Chinese, or in English if `Accept-Language` prefers it. Times have the format `yyyy-MM-dd HH:mm:ss` in the server's time zone. " +
  "Unknown fields are ignored. With `STATUS_STYLE=always-200`, failures also have the HTTP status 200, and only `code` identifies them.";

/**
 * The same contracts always yield the same document.
 * @param info `basePath` is the prefix of all paths, such as "/quintet", or ""
 * @throws {Error} for a duplicate method and path
 */
export function describeApi(
  contracts: readonly ServiceContract[],
  { title, version, basePath }: { readonly title: string; readonly version: string; readonly basePath: string },
) {
  const draft: Draft = { writer: new SchemaWriter(), examples: {}, securitySchemes: { ...tokenSchemes } };
  const operations: Record<string, object> = {};
  for (const contract of contracts)
    for (const [name, endpoint] of Object.entries(contract.endpoints)) {
      const place = `${endpoint.method} ${endpoint.url}`;
      if (operations[place]) throw new Error(`duplicate operation ${place}`);
      operations[place] = describeOperation(contract, name, endpoint, draft);
    }
  const schemas = { Failure: failureSchema, BareFailure: bareFailureSchema, ...draft.writer.hoisted };
  const components: Components = { responses: {}, parameters: {}, headers: {}, schemas };
  const paths: Record<string, Record<string, object>> = {};
  for (const [place, operation] of Object.entries(shareParts(operations, components))) {
    const [method = "", url = ""] = place.split(" ");
    (paths[url.replaceAll(/:(\w+)/g, "{$1}")] ??= {})[method.toLowerCase()] = operation;
  }
  return {
    openapi: "3.1.1",
    info: { title, version, description: infoDescription },
    servers: [{ url: basePath || "/" }],
    tags: contracts.map((contract) => ({ name: contract.name, "x-displayName": contract.title.en })),
    security: tokens,
    paths,
    components: { ...components, examples: draft.examples, securitySchemes: draft.securitySchemes },
  };
}
