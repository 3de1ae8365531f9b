import type { Endpoint } from "#platform/contract/endpoint.ts";
import { type Recall, toKnownName } from "./generate.ts";
import type { Operation } from "./shot.ts";

// Values of earlier requests and answers let later requests reference existing records, files and accounts.

const mostOfOneName = 100;

export type Memory = ReturnType<typeof createMemory>;

export function createMemory() {
  const values = new Map<string, unknown[]>();
  const keep = (scope: string, field: string, value: unknown) => {
    const name = `${scope} ${toKnownName(field)}`;
    const known = values.get(name) ?? [];
    if (!known.includes(value)) values.set(name, [...known, value].slice(-mostOfOneName));
  };
  const drop = (scope: string, field: string, value: unknown) => {
    const name = `${scope} ${toKnownName(field)}`;
    const known = values.get(name);
    if (known)
      values.set(
        name,
        known.filter((other) => String(other) !== String(value)),
      );
  };
  const visit = (data: unknown, act: (field: string, value: string | number) => void, field = ""): void => {
    if (Array.isArray(data)) data.forEach((part) => visit(part, act, field));
    else if (typeof data === "object" && data !== null)
      for (const [key, part] of Object.entries(data)) visit(part, act, key);
    else if (
      field !== "" &&
      (typeof data === "number" || (typeof data === "string" && data !== "" && data.length < 300))
    )
      act(field, data);
  };
  const learn = (scope: string, data: unknown): void => visit(data, (field, value) => keep(scope, field, value));
  /**
   * A request that found nothing may have named a deleted record, so the ids and numbers in the request are forgotten.
   */
  const forget = (operation: Operation, sent: unknown): void => {
    for (const scope of scopesOf(operation))
      visit(sent, (field, value) => {
        if (/id$|no$/i.test(field)) drop(scope, field, value);
      });
  };
  const learnSuccess = (operation: Operation, sent: unknown, data: unknown): void => {
    for (const scope of scopesOf(operation)) {
      learn(scope, sent);
      learn(scope, nameAnswer(operation.endpoint, data));
    }
  };
  const recall =
    ({ contract, endpoint }: Operation): Recall =>
    (field, index) => {
      // Four of five values come from the operation's own kind of record; the others come from any kind in the service,
      // so their ids may not exist.
      const near = values.get(`${toGroup(endpoint)} ${field}`) ?? [];
      const known = near.length > 0 && index % 5 > 0 ? near : (values.get(`${contract.name} ${field}`) ?? []);
      return known[index % known.length];
    };
  return { recall, learn, learnSuccess, forget };
}

const scopesOf = ({ contract, endpoint }: Operation): string[] => [contract.name, toGroup(endpoint)];

const toGroup = ({ url }: Endpoint): string => url.split("/").slice(0, 3).join("/");

/**
 * Names the data of an answer: a bare string, or the answer to an upload, gets the field names that other operations
 * use for its value.
 */
function nameAnswer(endpoint: Endpoint, data: unknown): unknown {
  const { imageName } = (data ?? {}) as { imageName?: unknown };
  if (endpoint.upload && imageName !== undefined)
    return { image: imageName, images: imageName, extraFile: imageName, name: imageName };
  if (typeof data !== "string") return data;
  if (endpoint.upload) return { file: data, bFile: data, name: data.split("/").at(-1) };
  if (endpoint.method === "POST" && endpoint.body && /^\d+$/.test(data)) return { id: Number(data) };
  return endpoint.url.endsWith("icket") ? { ticket: data } : undefined;
}
