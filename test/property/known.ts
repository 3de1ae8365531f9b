import type { Endpoint } from "#platform/contract/endpoint.ts";
import { type Recall, toKnownName } from "./generate.ts";
import type { Operation } from "./shot.ts";

// What earlier answers told, so that later requests name records, files and accounts that exist.

const mostOfOneName = 100;

export interface Memory {
  recall(operation: Operation): Recall;
  /** Keeps values under the names of their fields. */
  learn(service: string, data: unknown): void;
  /** Keeps what a request was sent with and what it was answered, when it was taken. */
  learnSuccess(operation: Operation, sent: unknown, data: unknown): void;
}

export function createMemory(): Memory {
  const values = new Map<string, unknown[]>();
  const keep = (scope: string, field: string, value: unknown) => {
    const name = `${scope} ${toKnownName(field)}`;
    const known = values.get(name) ?? [];
    if (!known.includes(value)) values.set(name, [...known, value].slice(-mostOfOneName));
  };
  const learn = (scope: string, data: unknown, field = ""): void => {
    if (Array.isArray(data)) data.forEach((part) => learn(scope, part, field));
    else if (typeof data === "object" && data !== null)
      for (const [key, part] of Object.entries(data)) learn(scope, part, key);
    else if (
      field !== "" &&
      (typeof data === "number" || (typeof data === "string" && data !== "" && data.length < 300))
    )
      keep(scope, field, data);
  };
  const learnSuccess = (operation: Operation, sent: unknown, data: unknown): void => {
    for (const scope of [operation.contract.name, toGroup(operation.endpoint)]) {
      learn(scope, sent);
      learn(scope, nameAnswer(operation.endpoint, data));
    }
  };
  const recall =
    ({ contract, endpoint }: Operation): Recall =>
    (field, index) => {
      // Mostly of the same kind of record; now and then of another, whose id may be none here.
      const near = values.get(`${toGroup(endpoint)} ${field}`) ?? [];
      const known = near.length > 0 && index % 5 > 0 ? near : (values.get(`${contract.name} ${field}`) ?? []);
      return known[index % known.length];
    };
  return { recall, learn, learnSuccess };
}

/** Operations on one kind of record share the beginning of their paths. */
const toGroup = ({ url }: Endpoint): string => url.split("/").slice(0, 3).join("/");

/** An answer that is one text or names an upload, under the names by which other operations ask for it. */
function nameAnswer(endpoint: Endpoint, data: unknown): unknown {
  const { imageName } = (data ?? {}) as { imageName?: unknown };
  if (endpoint.upload && imageName !== undefined)
    return { image: imageName, images: imageName, extraFile: imageName, name: imageName };
  if (typeof data !== "string") return data;
  if (endpoint.upload) return { file: data, bFile: data, name: data.split("/").at(-1) };
  if (endpoint.method === "POST" && endpoint.body && /^\d+$/.test(data)) return { id: Number(data) };
  return endpoint.url.endsWith("icket") ? { ticket: data } : undefined;
}
