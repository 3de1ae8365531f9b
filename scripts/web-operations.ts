import type { Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import type { Dimensions } from "#platform/contract/scope.ts";
import { requiredGroup } from "#platform/contract/rights.ts";

/**
 * The generated table contains what a caller needs at run time. Request and response shapes are imported from the
 * contract as types only, so that neither its schemas nor Zod (60 kB compressed) reach the browser.
 */
export function describeOperations({ name, endpoints, problems }: ServiceContract): string {
  const { type, imported } = typeOf(name);
  const refusals = new Set(tokenProblems.map((problem) => problems[problem].code));
  const rows = Object.entries(endpoints).map(([key, endpoint]) => `  ${key}: ${JSON.stringify(describe(endpoint))},\n`);
  return `// Written by \`npm run generate\` out of the service's contract.
${imported}
import { defineOperations } from "#shared/call/operation.ts";

export const ${toIdentifier(name)} = defineOperations<${type}>("${name}", ${JSON.stringify([...refusals])}, {
${rows.join("")}});
`;
}

export const describeDimensions = (
  contracts: readonly ServiceContract[],
): string => `// Written by \`npm run generate\` out of the contracts.
import type { Bilingual } from "#platform/contract/language.ts";

export const dimensions: Readonly<Record<string, Readonly<Record<string, Bilingual>> | undefined>> = ${JSON.stringify(
  Object.fromEntries(contracts.flatMap(({ name, dimensions }) => (dimensions ? [[name, toLabels(dimensions)]] : []))),
)};
`;

const toLabels = (dimensions: Dimensions) =>
  Object.fromEntries(Object.entries(dimensions).map(([name, { label }]) => [name, label]));

const tokenProblems = ["headerMissing", "tokenEmpty", "tokenInvalid"] as const;

/**
 * The platform's contract is built at run time, since it contains the service names, so its type is declared
 * separately.
 */
const typeOf = (name: string): { type: string; imported: string } =>
  name === "platform"
    ? {
        type: "PlatformEndpoints",
        imported: 'import type { PlatformEndpoints } from "#platform/accounts/operators/contract.ts";',
      }
    : { type: "typeof endpoints", imported: `import type { endpoints } from "#services/${name}/contract.ts";` };

const toIdentifier = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());

function describeTaken(endpoint: Endpoint) {
  const takes = requiredGroup(endpoint);
  const usual = endpoint.method === "GET" ? "read" : "write";
  const asFile = requiredGroup(endpoint, true);
  return { ...(takes !== usual && takes && { takes }), ...(asFile !== takes && { asFile }) };
}

function describe(endpoint: Endpoint) {
  const { method, url, access, answer, query, upload, idempotent, audited, scoped } = endpoint;
  const page = ["currPage", "curPage"].find((parameter) => parameter in (query?.shape ?? {}));
  return {
    method,
    url,
    who: access.who,
    ...describeTaken(endpoint),
    answer: answer.as,
    ...(page && { page }),
    ...(upload && { upload: upload.limit }),
    ...(upload?.mostJsonMb && { mostMb: upload.mostJsonMb }),
    ...(idempotent && { idempotent }),
    ...(audited && { audited }),
    ...(scoped && { scoped }),
  };
}
