import fc from "fast-check";
import type { Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import { compileReader, type ReadingStyle } from "#platform/contract/input.ts";
import { type CallerKind, callerKinds } from "./callers.ts";
import { fillIn, type Recall, templatesOf } from "./generate.ts";
import { contentTypes, junkInPath, junkInQuery, oddHeaders } from "./junk.ts";
import { type Damage, damage, damages, isUnreadable, spoilText, type TextWay, textDamages } from "./mutate.ts";
import { type FormWay, formWays, toForm } from "./upload.ts";

export interface Operation {
  readonly contract: ServiceContract;
  readonly name: string;
  readonly endpoint: Endpoint;
}

export const listOperations = (contracts: readonly ServiceContract[]): Operation[] =>
  contracts.flatMap((contract) =>
    Object.entries(contract.endpoints).map(([name, endpoint]) => ({ contract, name, endpoint })),
  );

/** A shot depends on the seed alone; known values and a token are filled in later. */
export interface Shot {
  readonly operation: Operation;
  readonly caller: CallerKind;
  readonly spelling: string;
  readonly parts: { readonly params?: unknown; readonly query?: unknown; readonly body?: unknown };
  readonly damages: readonly (Damage & { readonly part: number })[];
  readonly text: TextWay | undefined;
  readonly contentType: string | undefined;
  readonly asForm: boolean;
  readonly form: FormWay;
  readonly pathJunk: string | undefined;
  readonly queryJunk: string | undefined;
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly cut: "end" | "reset" | undefined;
}

export interface Wire {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly cut?: "end" | "reset";
  /** True if the operation must refuse the query, the body or the upload form. */
  readonly mustFail: boolean;
  readonly isOversized: boolean;
  readonly sent: readonly unknown[];
}

const rarely = <T>(arbitrary: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

export function shotsAt(operation: Operation): fc.Arbitrary<Shot> {
  const { params, query, body } = operation.endpoint;
  const parts = Object.fromEntries(
    Object.entries({ params, query, body }).flatMap(([part, schema]) => (schema ? [[part, templatesOf(schema)]] : [])),
  );
  const harms = {
    damages: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      {
        weight: 5,
        arbitrary: fc.array(fc.record({ part: fc.nat(9), way: damages.map(({ way }) => way), place: fc.nat(999) }), {
          minLength: 1,
          maxLength: 2,
        }),
      },
    ),
    text: rarely(textDamages, 8),
    contentType: rarely(fc.constantFrom(...contentTypes), 20),
    pathJunk: rarely(fc.constantFrom(...junkInPath), 12),
    queryJunk: rarely(fc.constantFrom(...junkInQuery), 12),
    method: rarely(fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"), 60),
    headers: fc.oneof(
      { weight: 5, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constantFrom(...oddHeaders) },
    ),
    cut: rarely(fc.constantFrom("end" as const, "reset" as const), 40),
    caller: fc.oneof(
      { weight: 8, arbitrary: fc.constant("right" as const) },
      { weight: 1, arbitrary: fc.constantFrom(...callerKinds) },
    ),
    spelling: fc.constantFrom("admin_token", "admin-token", "Admin-Token"),
    form: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom<FormWay>("png", "text") },
      { weight: 1, arbitrary: fc.constantFrom(...formWays) },
    ),
  };
  return fc.record({ operation: fc.constant(operation), parts: fc.record(parts), asForm: fc.boolean(), ...harms });
}

export const goodShotsAt = (operation: Operation): fc.Arbitrary<Shot> =>
  fc.record({ shot: shotsAt(operation), form: fc.constantFrom<FormWay>("png", "text") }).map(({ shot, form }) => ({
    ...shot,
    form,
    caller: "right",
    damages: [],
    text: undefined,
    contentType: undefined,
    pathJunk: undefined,
    queryJunk: undefined,
    method: undefined,
    headers: {},
    cut: undefined,
  }));

export function toWire(shot: Shot, recall: Recall, proof: Readonly<Record<string, string>>): Wire {
  const { endpoint } = shot.operation;
  const parts = damageParts(shot, fillIn(shot.parts, recall) as Record<string, unknown>);
  const content = toContent(shot, parts["body"]);
  const query = toQuery(parts["query"], shot.queryJunk);
  const type = shot.contentType ?? content.type;
  return {
    method: shot.method ?? endpoint.method,
    path: toPath(endpoint.url, parts["params"], shot.pathJunk) + (query === "" ? "" : `?${query}`),
    headers: {
      ...(type ? { "content-type": type } : {}),
      ...proof,
      ...shot.headers,
    },
    ...(content.body ? { body: content.body } : {}),
    ...(shot.cut && content.body ? { cut: shot.cut } : {}),
    mustFail:
      content.mustFail || (endpoint.query !== undefined && isRefused(endpoint.query, parseQuery(query), "text")),
    isOversized: (content.body?.length ?? 0) > 1024 * 1024,
    sent: [parts["params"], parts["query"], parts["body"]],
  };
}

function damageParts({ damages: harms }: Shot, parts: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(parts);
  if (names.length === 0) return parts;
  return harms.reduce((damaged, { part, ...harm }) => {
    const name = names[part % names.length] ?? "";
    return { ...damaged, [name]: damage(damaged[name], harm) };
  }, parts);
}

interface Content {
  readonly type?: string;
  readonly body?: Buffer;
  readonly mustFail: boolean;
}

function toContent({ operation: { endpoint }, text, form, asForm, contentType }: Shot, value: unknown): Content {
  if (endpoint.upload) return toForm(form);
  if (!endpoint.body)
    return text ? { type: "application/json", body: spoilText("{}", text), mustFail: false } : { mustFail: false };
  const wrongType = contentType !== undefined && !/json/i.test(contentType);
  if (endpoint.form && asForm && !text)
    return { type: "application/x-www-form-urlencoded", body: Buffer.from(encodeQuery(value)), mustFail: false };
  const json = JSON.stringify(value) ?? "";
  const body = text ? spoilText(json, text) : Buffer.from(json);
  const refused = text
    ? isUnreadable(text) || body.length > (endpoint.bodyLimitBytes ?? 1024 * 1024)
    : isRefused(endpoint.body, json === "" ? undefined : JSON.parse(json), "json");
  return { type: "application/json", body, mustFail: refused || (wrongType && !endpoint.form) };
}

function isRefused(schema: NonNullable<Endpoint["body"]>, value: unknown, source: ReadingStyle["source"]): boolean {
  try {
    compileReader(schema, { source })(value);
    return false;
  } catch {
    return true;
  }
}

const toText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
// encodeURIComponent throws at a lone surrogate; a browser sends U+FFFD in its place.
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

export function encodeQuery(value: unknown, most = 6000): string {
  if (typeof value !== "object" || value === null) return value === undefined ? "" : encode(toText(value));
  const pairs = Object.entries(value).flatMap(([key, part]) =>
    (Array.isArray(part) && part.length < 20 ? part : [part]).map(
      (one: unknown) => `${encode(key)}=${encode(toText(one)).slice(0, most)}`,
    ),
  );
  return pairs.join("&");
}

const toQuery = (value: unknown, junk: string | undefined): string =>
  [encodeQuery(value).slice(0, 7000), junk ?? ""]
    .filter((part) => part !== "")
    .join("&")
    .replace(/%(?:[0-9A-F])?$/, "");

function parseQuery(query: string): Record<string, string | string[]> {
  const parsed: Record<string, string | string[]> = {};
  for (const [key, value] of new URLSearchParams(query)) {
    const known = Object.hasOwn(parsed, key) ? parsed[key] : undefined;
    Object.defineProperty(parsed, key, {
      value: known === undefined ? value : [known, value].flat(),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return parsed;
}

export function toPath(url: string, params: unknown, junk?: string, most = 7000): string {
  const given = (typeof params === "object" && params !== null ? params : {}) as Record<string, unknown>;
  const plain = (name: string) =>
    encode(toText(given[name] ?? "none"))
      .slice(0, most)
      .replace(/%(?:[0-9A-F])?$/, "") || "none";
  return url.replace(/:([A-Za-z]+)/g, (_, name: string) => junk ?? plain(name));
}

export const missesOperation = ({ operation, pathJunk, method, damages: harms }: Shot): boolean =>
  (method !== undefined && method !== operation.endpoint.method) ||
  (operation.endpoint.params !== undefined && (pathJunk !== undefined || harms.length > 0));
