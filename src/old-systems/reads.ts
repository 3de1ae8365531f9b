import type { Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import { findShape, type Shape } from "./records.ts";

export interface DocumentedRead {
  readonly url: string;
  /** The fields of its records, followed by those around them. */
  readonly fields: Shape;
  readonly page: string | undefined;
  /** The URL of the list whose records have the values of the path's parameters. */
  readonly list: string | undefined;
  /** The reason why the read cannot be compared. */
  readonly obstacle: string | undefined;
}

const parameter = /:(\w+)/g;

/** Lists the reads of the interface document; lists come before the reads that take parameters from their records. */
export function listReads({ endpoints }: ServiceContract): DocumentedRead[] {
  const reads = Object.values(endpoints)
    .filter(({ method, own }) => method === "GET" && own === undefined)
    .map((endpoint) => ({ url: endpoint.url, ...describeAnswer(endpoint), obstacle: findObstacle(endpoint) }));
  const [lists, others] = [reads.filter(({ url }) => !url.includes(":")), reads.filter(({ url }) => url.includes(":"))];
  return [
    ...lists.map((read) => ({ ...read, list: undefined })),
    ...others.map((read) => ({ ...read, list: findList(read.url, lists) })),
  ];
}

function describeAnswer({ answer, query }: Endpoint) {
  const data = "data" in answer ? answer.data : undefined;
  const page = ["currPage", "curPage"].find((name) => name in (query?.shape ?? {}));
  const around = data !== undefined && "shape" in data ? (data.shape as Shape) : {};
  return { page, fields: data === undefined ? {} : { ...findShape(data), ...around } };
}

function findObstacle({ access, answer, group, query }: Endpoint): string | undefined {
  if (access.who === "guest") return "requires a student's login";
  if (group === "write") return "starts an analysis";
  if ("code" in (query?.shape ?? {})) return "requires a single-use code that the messaging platform gives a browser";
  if (answer.as === "envelope") return undefined;
  return answer.as === "file" ? "returns a file whose content is not documented" : "returns no data";
}

/** The field whose value a parameter of a path takes. */
const toField = (name: string, fields: Shape): string => (name in fields ? name : "id");

/** Writes a path with a record's values. */
export const fillPath = (url: string, record: Readonly<Record<string, unknown>>, fields: Shape): string =>
  url.replaceAll(parameter, (_, name: string) => encodeURIComponent(String(record[toField(name, fields)])));

/** Finds the list whose URL has the most leading segments in common and whose records have the parameters' fields. */
function findList(url: string, lists: readonly Pick<DocumentedRead, "url" | "fields" | "obstacle">[]) {
  const names = [...url.matchAll(parameter)].map(([, name = ""]) => name);
  const segments = url.split("/");
  const countCommon = (other: string): number => {
    const parts = other.split("/");
    return segments.findIndex((segment, at) => segment !== parts[at]);
  };
  return lists
    .filter(({ obstacle, fields }) => obstacle === undefined && names.every((name) => toField(name, fields) in fields))
    .toSorted((one, other) => countCommon(other.url) - countCommon(one.url))[0]?.url;
}
