import fc from "fast-check";
import type { Access } from "#platform/contract/endpoint.ts";
import { fillIn } from "#test/property/generate.ts";
import { encodeQuery, goodShotsAt, type Operation, toPath } from "#test/property/shot.ts";
import { multipart, named, partOf, whole } from "#test/property/upload.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { fillCells, hostileWorkbooks, importHeadings } from "./hostile-workbooks.ts";

export interface Hostile {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const mostParamCharacters = 900;
// Limits the texts in queries and headers, so that the request line and all headers stay below the server's limit of
// 256 KiB.
const mostHeadBytes = 200 * 1024;

interface Spot {
  readonly part: "params" | "query" | "body";
  readonly keys: readonly (string | number)[];
}

type Parts = Readonly<Record<string, unknown>>;

export function* listHostile(operation: Operation, textName: string, bytes: number, seed = 1): Generator<Hostile> {
  const { contract, endpoint, name } = operation;
  const make = hostileTexts[textName];
  if (!make) throw new Error(`there is no text called ${textName}`);
  const [shot] = fc.sample(goodShotsAt(operation), { numRuns: 1, seed });
  const parts = fillIn(shot?.parts ?? {}, () => undefined) as Parts;
  const ask = (where: string, { params, query, body }: Parts, more: Partial<Hostile> = {}): Hostile => {
    const asked = encodeQuery(query, Infinity);
    return {
      name: `${contract.name}/${name} ${where}: ${textName}`,
      method: endpoint.method,
      path: toPath(endpoint.url, params, undefined, mostParamCharacters) + (asked === "" ? "" : `?${asked}`),
      ...(body === undefined ? { headers: {} } : { headers: json, body: Buffer.from(JSON.stringify(body)) }),
      ...more,
    };
  };
  for (const spot of [...listSpots("params", endpoint.params, parts), ...listSpots("query", endpoint.query, parts)]) {
    const most = spot.part === "params" ? mostParamCharacters : mostHeadBytes / 9;
    yield ask(spot.keys.join("."), put(parts, spot, make(Math.min(bytes, most))));
  }
  for (const spot of listSpots("body", endpoint.body, parts)) {
    const changed = put(parts, spot, make(bytes));
    yield ask(`body.${spot.keys.join(".")}`, changed);
    if (!endpoint.form) continue;
    const body = Buffer.from(encodeQuery(changed["body"], Infinity));
    yield ask(`form.${spot.keys.join(".")}`, changed, { headers: form, body });
  }
  if (readsHeaders(operation)) {
    const { headers } = ask("", parts);
    const line = Buffer.from(make(mostHeadBytes / 3).replaceAll(/[\r\n]/g, " ")).toString("latin1");
    for (const header of listHeaders(endpoint.access))
      yield ask(header, parts, { headers: { ...headers, [header]: line } });
  }
  if (endpoint.body && textName === Object.keys(hostileTexts)[0])
    for (const [what, body] of listBodies(bytes)) yield ask(what, parts, { headers: json, body });
  for (const [what, body] of endpoint.upload ? listUploads(operation, textName, bytes) : [])
    yield ask(what, parts, { headers: { "content-type": multipart }, body });
}

/** Lists the positions of all values, whatever their type, since a text can be sent instead of any value. */
function listSpots(part: Spot["part"], schema: object | undefined, parts: Parts): Spot[] {
  if (!schema) return [];
  const spots: Spot[] = [];
  const walk = (value: unknown, keys: Spot["keys"]): void => {
    if (typeof value !== "object" || value === null) spots.push({ part, keys });
    else for (const [key, one] of Object.entries(value)) walk(one, [...keys, Array.isArray(value) ? Number(key) : key]);
  };
  walk(parts[part], []);
  const shape = (schema as { shape?: object }).shape;
  const listed = new Set(spots.map(({ keys }) => keys[0]));
  const others = Object.keys(shape ?? {}).filter((key) => !listed.has(key));
  return [...spots.filter(({ keys }) => keys.length > 0), ...others.map((key) => ({ part, keys: [key] }))];
}

function put(parts: Parts, { part, keys }: Spot, text: string): Parts {
  const copy = structuredClone(parts) as Record<string, unknown>;
  let place = (copy[part] ??= {}) as Record<string | number, unknown>;
  for (const key of keys.slice(0, -1)) place = place[key] as Record<string | number, unknown>;
  place[keys.at(-1) ?? ""] = text;
  return copy;
}

/**
 * Operations with the same access share the code that reads their headers, so the first GET operation of each kind of
 * access is enough for a service.
 */
const readsHeaders = ({ contract, endpoint, name }: Operation): boolean =>
  Object.keys(contract.endpoints).find((key) => {
    const other = contract.endpoints[key];
    return other?.access.who === endpoint.access.who && other.method === "GET";
  }) === name;

const listHeaders = (access: Access): string[] => [
  "accept-language",
  "accept-encoding",
  "cookie",
  "content-type",
  "idempotency-key",
  "x-forwarded-for",
  "authorization",
  "user-agent",
  ...(access.who === "guest" ? Object.keys(access.guests.headers) : ["admin_token"]),
];

function listBodies(bytes: number): [string, Buffer][] {
  const many = (unit: string) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)) - 1);
  return [
    ["brackets", Buffer.from("[".repeat(bytes))],
    ["a list of numbers", Buffer.from(`[${many("1,")}1]`)],
    ["a list of texts", Buffer.from(`[${many('"a",')}"a"]`)],
    ["a list of lists", Buffer.from(`[${many("[],")}[]]`)],
    [
      "lists under every name",
      Buffer.from(`{"ids":[${many("0,").slice(0, bytes / 3)}0],"datas":[${many("{},").slice(0, (bytes / 9) * 3)}{}]}`),
    ],
    ["names", Buffer.from(`{${many('"a":1,')}"b":1}`)],
  ];
}

function* listUploads(
  { contract, name, endpoint }: Operation,
  textName: string,
  bytes: number,
): Generator<[string, Buffer]> {
  const make = hostileTexts[textName] ?? String;
  const line = make(Math.min(bytes, 60_000)).replaceAll(/[\r\n"]/g, " ");
  const cells = `${make(30_000).replaceAll(/[\r\n",]/g, " ")},`.repeat(Math.ceil(bytes / 30_000));
  const file = (filename: string, content: Buffer): Buffer => partOf(named("file", filename), content);
  yield ["a file's name", whole(file(`${line}.csv`, Buffer.from("a,b")))];
  yield ["a part's name", whole(partOf(named(line), "a"))];
  yield ["a part's head", whole(partOf(`x: ${line}`, "a"))];
  yield ["a field", whole(partOf(named("month"), make(bytes)), file("a.csv", Buffer.from("a,b")))];
  yield ["a file of text", whole(file("a.csv", Buffer.from(make(bytes))))];
  yield ["a file of cells", whole(file("a.csv", Buffer.from(cells)))];
  if (endpoint.upload?.limit !== "workbook") return;
  const headings = importHeadings[`${contract.name}/${name}`];
  if (headings) yield ["a workbook's cells", whole(file("a.xlsx", fillCells(headings, textName)))];
  if (textName !== Object.keys(hostileTexts)[0]) return;
  for (const [what, build] of Object.entries(hostileWorkbooks)) yield [what, whole(file("a.xlsx", build()))];
}
