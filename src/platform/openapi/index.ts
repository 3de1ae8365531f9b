import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { describeOperation, type Draft, tokens, tokenSchemes } from "./operation.ts";
import { bareFailureSchema, failureSchema, type Operation } from "./responses.ts";
import { SchemaWriter } from "./schema.ts";

const infoDescription =
  "Every answer is an envelope of `success`, `message`, `code` and `data`, but for the few that are plain text, a file, or as a document has them. " +
  "Messages are Chinese, or English where `Accept-Language` prefers it. Times are `yyyy-MM-dd HH:mm:ss` in the time zone of the server. " +
  "Unknown fields are ignored. Where the server is set to `STATUS_STYLE=always-200`, failures have the HTTP status 200 and are told by `code` alone.";

/**
 * Describes contracts as OpenAPI 3.1; the same contracts give the same document, key for key.
 * @param info `basePath`: the prefix under which everything is served, "" or such as "/quintet"
 * @throws {Error} when two operations share a method and a path.
 */
export function describeApi(
  contracts: readonly ServiceContract[],
  { title, version, basePath }: { readonly title: string; readonly version: string; readonly basePath: string },
) {
  const draft: Draft = { writer: new SchemaWriter(), examples: {}, securitySchemes: { ...tokenSchemes } };
  const operations: Record<string, Operation> = {};
  for (const contract of contracts)
    for (const [name, endpoint] of Object.entries(contract.endpoints)) {
      const place = `${endpoint.method} ${endpoint.url}`;
      if (operations[place]) throw new Error(`two operations answer ${place}`);
      operations[place] = describeOperation(contract, name, endpoint, draft);
    }
  const schemas = { Failure: failureSchema, BareFailure: bareFailureSchema, ...draft.writer.hoisted };
  const { responses, refer } = shareResponses(Object.values(operations));
  const paths: Record<string, Record<string, object>> = {};
  for (const [place, operation] of Object.entries(operations)) {
    const [method = "", url = ""] = place.split(" ");
    // OpenAPI spells `/report/:id` as `/report/{id}`.
    (paths[url.replaceAll(/:(\w+)/g, "{$1}")] ??= {})[method.toLowerCase()] = refer(operation);
  }
  return {
    openapi: "3.1.1",
    info: { title, version, description: infoDescription },
    servers: [{ url: basePath || "/" }],
    tags: contracts.map((contract) => ({ name: contract.name, "x-displayName": contract.title.en })),
    security: tokens,
    paths,
    components: { responses, schemas, examples: draft.examples, securitySchemes: draft.securitySchemes },
  };
}

/** Operations fail alike: a response that several have stands once among the components, and a reference in its place. */
function shareResponses(operations: readonly Operation[]) {
  const each = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).map(([status, response]) => ({ operationId, status, response })),
  );
  const shared: Record<string, object> = {};
  const references = new Map<string, object>();
  for (const [text, [first, second]] of Map.groupBy(each, ({ response }) => JSON.stringify(response))) {
    if (!first || !second) continue;
    // A failure by its status and codes, such as 401-10006-10012.
    const codes = [...first.response.description.matchAll(/^- `(\d+)`/gm)].map(([, code]) => code);
    const wanted =
      codes.length > 0 ? [first.status, ...new Set(codes)].join("-") : `${first.operationId}.${first.status}`;
    let place = wanted;
    for (let count = 2; place in shared; count++) place = `${wanted}.${count}`;
    shared[place] = first.response;
    references.set(text, { $ref: `#/components/responses/${place}` });
  }
  const refer = ({ responses, ...operation }: Operation) => {
    const named = Object.entries(responses).map(([status, response]) => {
      return [status, references.get(JSON.stringify(response)) ?? response];
    });
    return { ...operation, responses: Object.fromEntries(named) as object };
  };
  return { responses: shared, refer };
}
