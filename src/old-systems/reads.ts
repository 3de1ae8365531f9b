import type { Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import { findShape, type Shape } from "./records.ts";

export interface DocumentedRead {
  readonly url: string;
  /** The fields of the answer's records and of the answer itself. */
  readonly fields: Shape;
  readonly page: string | undefined;
  /** The header by which the interface document identifies a student: the card number. */
  readonly header: string | undefined;
  /** The URL of the list whose records contain the values for the path's parameters and for the header. */
  readonly list: string | undefined;
  /** The reason why the read cannot be compared. */
  readonly obstacle: string | undefined;
}

export interface Ask {
  readonly path: string;
  /** Names the call in the output, without personal data. */
  readonly label: string;
  /** The header that identifies a student. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type Item = Readonly<Record<string, unknown>>;
type Read = Omit<DocumentedRead, "list">;

const parameter = /:(\w+)/g;
/** The record fields that contain the card number of a student. */
const cardFields = ["studentNo", "feedbackPersonIdentify"];

/** Lists the reads of the interface document; lists come before the reads that take values from their records. */
export function listReads({ endpoints }: ServiceContract): DocumentedRead[] {
  const reads = Object.values(endpoints)
    .filter(({ method, own }) => method === "GET" && own === undefined)
    .map((endpoint) => ({ url: endpoint.url, ...describeAnswer(endpoint), obstacle: findObstacle(endpoint) }));
  const lists = reads.filter(({ url, header }) => !url.includes(":") && header === undefined);
  const others = reads.filter((read) => !lists.includes(read));
  return [
    ...lists.map((read) => ({ ...read, list: undefined })),
    ...others.map((read) => ({ ...read, list: findList(read, lists) })),
  ];
}

function describeAnswer({ access, answer, query }: Endpoint) {
  const data = "data" in answer ? answer.data : undefined;
  const page = ["currPage", "curPage"].find((name) => name in (query?.shape ?? {}));
  const around = data !== undefined && "shape" in data ? (data.shape as Shape) : {};
  const header = access.who === "guest" ? access.guests.header : undefined;
  return { page, header, fields: data === undefined ? {} : { ...findShape(data), ...around } };
}

function findObstacle({ answer, group, query }: Endpoint): string | undefined {
  if (group === "write") return "starts an analysis";
  if ("code" in (query?.shape ?? {})) return "requires a single-use code that the messaging platform gives a browser";
  if (answer.as === "envelope") return undefined;
  return answer.as === "file" ? "returns a file whose content is not documented" : "returns no data";
}

/** The field of a record that fills the parameter of a path. */
const toField = (name: string, fields: Shape): string => (name in fields ? name : "id");

/**
 * Lists the calls of a read. Records with the same path and headers lead to one call. A record without a card number,
 * such as a new student's payable, leads to none.
 */
export function listAsks({ url, fields, header }: DocumentedRead, records: readonly Item[]): Ask[] {
  const asks = records.flatMap((record): Ask[] => {
    const path = fillPath(url, record, fields);
    if (header === undefined) return [{ path, label: path }];
    const card = record[cardFields.find((field) => field in record) ?? ""];
    if (typeof card !== "string" || card === "") return [];
    return [{ path, label: `${url} of ${String(record["id"])}`, headers: { [header]: card } }];
  });
  return [...new Map(asks.map((ask) => [JSON.stringify([ask.path, ask.headers]), ask])).values()];
}

const fillPath = (url: string, record: Item, fields: Shape): string =>
  url.replaceAll(parameter, (_, name: string) => encodeURIComponent(String(record[toField(name, fields)])));

/**
 * Finds the list whose records have the values for the read's parameters and header. Of several lists, the one whose
 * URL shares the most leading segments with the read's URL is chosen.
 */
function findList({ url, header }: Read, lists: readonly Read[]) {
  const names = [...url.matchAll(parameter)].map(([, name = ""]) => name);
  const segments = url.split("/");
  const countCommon = (other: string): number => {
    const parts = other.split("/");
    return segments.findIndex((segment, at) => segment !== parts[at]);
  };
  return lists
    .filter(({ obstacle, fields }) => obstacle === undefined && names.every((name) => toField(name, fields) in fields))
    .filter(({ fields }) => header === undefined || cardFields.some((field) => field in fields))
    .toSorted((one, other) => countCommon(other.url) - countCommon(one.url))[0]?.url;
}
