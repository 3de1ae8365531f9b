import type { Endpoint } from "#platform/endpoint.ts";
import { type Recall, toKnownName } from "./generate.ts";

// What earlier answers told, so that later requests name records, files and accounts that exist.

const mostOfOneName = 100;

export interface Memory {
  recall(service: string): Recall;
  /** Keeps the values of an answer's data, or of a request that was taken. */
  learn(service: string, data: unknown): void;
  /** Keeps what an operation answered with, by what kind of operation it is. */
  learnAnswer(service: string, endpoint: Endpoint, data: unknown): void;
}

export function createMemory(): Memory {
  const values = new Map<string, unknown[]>();
  const keep = (service: string, field: string, value: unknown) => {
    const name = `${service} ${toKnownName(field)}`;
    const known = values.get(name) ?? [];
    if (!known.includes(value)) values.set(name, [...known, value].slice(-mostOfOneName));
  };
  const learn = (service: string, data: unknown, field = ""): void => {
    if (Array.isArray(data)) data.forEach((part) => learn(service, part, field));
    else if (typeof data === "object" && data !== null) for (const [key, part] of Object.entries(data)) learn(service, part, key);
    else if (field !== "" && (typeof data === "number" || (typeof data === "string" && data !== "" && data.length < 300))) keep(service, field, data);
  };
  const learnAnswer = (service: string, endpoint: Endpoint, data: unknown): void => {
    if (typeof data !== "string") return learn(service, data);
    if (endpoint.upload) for (const field of ["file", "bFile", "name"]) keep(service, field, field === "name" ? data.split("/").at(-1) : data);
    else if (endpoint.method === "POST" && endpoint.body && /^\d+$/.test(data)) keep(service, "id", Number(data));
    else if (endpoint.url.endsWith("icket")) keep(service, "ticket", data);
  };
  const recall = (service: string): Recall => (field, index) => {
    const known = values.get(`${service} ${field}`) ?? [];
    return known[index % known.length];
  };
  return { recall, learn, learnAnswer };
}
