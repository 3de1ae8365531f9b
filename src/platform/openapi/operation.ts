import { downloadCookie, nameSecurely } from "#platform/accounts/cookies.ts";
import {
  type Access,
  type Endpoint,
  type Guests,
  guestsOf,
  type ServiceContract,
} from "#platform/contract/endpoint.ts";
import { takenBy } from "#platform/contract/rights.ts";
import { describeFailures, describeSuccess, listProblems } from "./responses.ts";
import type { JsonSchema, SchemaWriter } from "./schema.ts";

/** What the operations of one document share while it is written. */
export interface Draft {
  readonly writer: SchemaWriter;
  readonly examples: Record<string, object>;
  readonly securitySchemes: Record<string, object>;
}

/** The name of an operation for generated clients, such as `library_lend`. */
const toOperationId = (service: string, name: string): string =>
  `${service.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}_${name}`;

/** One operation; what it shares with others goes into the draft. */
export function describeOperation(contract: ServiceContract, name: string, endpoint: Endpoint, draft: Draft): object {
  const id = toOperationId(contract.name, name);
  const parameters = describeParameters(endpoint, id, draft);
  const requestBody = describeBody(endpoint, id, draft);
  const holdsBoundedText = JSON.stringify(parameters).includes('"maxLength"');
  const { byStatus, examples } = describeFailures(contract, endpoint, listProblems(endpoint, holdsBoundedText));
  Object.assign(draft.examples, examples);
  return {
    operationId: id,
    tags: [contract.name],
    summary: endpoint.summary,
    description: describeAccess(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...describeSuccesses(endpoint, id, draft), ...byStatus },
    ...describeTaken(endpoint),
    ...describeSecurity(contract.name, endpoint.access, draft.securitySchemes),
  };
}

/** For machines: which group of rights a caller whose rights are narrowed must have at the service. */
function describeTaken(endpoint: Endpoint): object {
  const [takes, asFile] = [takenBy(endpoint), takenBy(endpoint, true)];
  if (takes === undefined) return {};
  return { "x-right": takes, ...(asFile !== takes && { "x-right-as-file": asFile }) };
}

function describeSuccesses(endpoint: Endpoint, id: string, draft: Draft): object {
  if (endpoint.answer.as !== "reply") return { "200": describeAnswer(endpoint, id, draft) };
  return Object.fromEntries(
    Object.entries(endpoint.answer.replies).map(([status, description]) => [status, { description, content: {} }]),
  );
}

function describeParameters(
  { params, query, headers = {}, idempotent }: Endpoint,
  id: string,
  { writer }: Draft,
): object[] {
  const path = params ? writer.write(params, "input", `${id}_path`) : {};
  const search = query ? writer.write(query, "input", `${id}_query`) : {};
  const key = {
    name: "Idempotency-Key",
    in: "header",
    description: "A text of one's own; a retry with the same one returns the first success for 24 hours.",
    schema: { type: "string", maxLength: 255 },
  };
  const own = Object.entries(headers).map(([name, description]) => ({
    name,
    in: "header",
    description,
    schema: { type: "string" },
  }));
  return [...toParameters(path, "path"), ...toParameters(search, "query"), ...own, ...(idempotent ? [key] : [])];
}

function toParameters({ properties = {}, required = [] }: JsonSchema, place: "path" | "query"): object[] {
  const mandatory = new Set(required as string[]);
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) =>
    toParameter(name, place, schema, place === "path" || mandatory.has(name)),
  );
}

function toParameter(
  name: string,
  place: "path" | "query",
  { description, ...schema }: JsonSchema,
  required: boolean,
): object {
  return {
    name,
    in: place,
    ...(typeof description === "string" && { description }),
    ...(required && { required }),
    ...(schema["type"] === "array" && { style: "form", explode: true }),
    schema,
  };
}

function describeBody(
  { body, form, raw, upload, fields }: Endpoint,
  id: string,
  { writer }: Draft,
): object | undefined {
  if (upload) {
    const beside = fields ? writer.write(fields, "input", `${id}_fields`) : {};
    return {
      required: true,
      content: { "multipart/form-data": { schema: describeUpload(upload, beside) } },
    };
  }
  if (raw) return { content: { "*/*": { schema: { type: "string", format: "binary" } } } };
  if (!body) return undefined;
  const schema = writer.write(body, "input", `${id}_body`);
  const content = {
    "application/json": { schema },
    ...(form && { "application/x-www-form-urlencoded": { schema }, "multipart/form-data": { schema } }),
  };
  return { required: true, content };
}

function describeUpload(
  { limit, imagesOnly, mostJsonMb }: NonNullable<Endpoint["upload"]>,
  { properties = {}, required = [] }: JsonSchema,
): JsonSchema {
  const kind = mostJsonMb
    ? `JSON of at most ${mostJsonMb} MiB`
    : limit === "workbook"
      ? "A workbook: xlsx or csv"
      : imagesOnly
        ? "An image: png, jpg, gif or webp"
        : "A document, an image, a text or a zip; its content decides, not its name";
  return {
    type: "object",
    required: ["file", ...(required as string[])],
    properties: { file: { type: "string", format: "binary", description: kind }, ...(properties as object) },
  };
}

function describeAnswer({ answer, answerHeaders, access }: Endpoint, id: string, { writer }: Draft): object {
  const data = "data" in answer ? writer.write(answer.data, "output", `${id}_data`) : undefined;
  const isLogin = access.who === "anyone" && access.limit === "login";
  const told = { ...(isLogin && { admin_token: "The token, as in data" }), ...answerHeaders };
  const headers = Object.entries(told).map(([name, description]) => [
    name,
    { description, schema: { type: "string" } },
  ]);
  return describeSuccess(answer, data, headers.length > 0 ? Object.fromEntries(headers) : undefined);
}

// The interface documents spell it in each of these ways, and every operation takes them all.
const tokenHeaders = ["admin_token", "admin-token", "Admin-Token"] as const;

const describeTokenHeader = (name: string) => ({
  type: "apiKey",
  in: "header",
  name,
  description:
    "The token that a login answers with. admin_token, admin-token and Admin-Token are one header, since many proxies drop names with underscores.",
});

const keyScheme = {
  type: "http",
  scheme: "bearer",
  description: "An access key of a service account, for programs; it may stand in a token's header as well.",
};

const ticketScheme = {
  type: "apiKey",
  in: "query",
  name: "ticket",
  description: "For links in a browser: a ticket that is good for one download within a minute.",
};

/** Who may call an operation, for people. */
function describeAccess({ access, own }: Endpoint): string {
  const addition = own ? " An addition of this platform: the interface documents do not have it." : "";
  return `${whoMayCall(access)}${addition}`;
}

function whoMayCall(access: Access): string {
  if (access.who === "anyone" && access.limit === "refusals")
    return "Open to anyone; calls of one address that are refused are limited.";
  if (access.who === "anyone")
    return access.limit ? "Open to anyone; the calls of one address are limited." : "Open to anyone.";
  if (access.who === "operator") return "For operators of the platform.";
  if (access.who === "account") return "For whoever is signed in, at whichever service.";
  if (access.who === "guest") {
    const { title, knownBy } = access.guests;
    return `For ${title}.${access.mostPerMinute ? ` The calls of one ${knownBy} are limited.` : ""}`;
  }
  const who =
    access.who === "super" ? "For super administrators of the service." : "For administrators of the service.";
  if (access.who === "administrator" && access.orGuests)
    return `For administrators of the service, and for ${access.orGuests.title}.`;
  const open = access.who !== "download" && access.headerUndocumented;
  return open ? `${who} Open to anyone where UNDOCUMENTED_AUTH leaves the service open.` : who;
}

/** What a call must carry where its operation says nothing else: one of these. */
export const tokens: readonly object[] = [...tokenHeaders, "accessKey"].map((name) => ({ [name]: [] }));

/** The schemes that `tokens` names. */
export const tokenSchemes = (): Record<string, object> => ({
  ...Object.fromEntries(tokenHeaders.map((name) => [name, describeTokenHeader(name)])),
  accessKey: keyScheme,
});

/** What a call must carry in place of a token alone: one of the requirements, whose schemes are added to `schemes`. */
function describeSecurity(service: string, access: Access, schemes: Record<string, object>): object {
  const security = listRequirements(service, access, schemes);
  return security === tokens ? {} : { security };
}

function listRequirements(service: string, access: Access, schemes: Record<string, object>): readonly object[] {
  if (access.who === "anyone") return [];
  if (access.who === "guest") return describeGuests(access.guests, schemes);
  const guests = guestsOf(access);
  if (guests) return [...tokens, ...describeGuests(guests, schemes)];
  if (access.who !== "download") return tokens;
  const cookie = `${service}.cookie`;
  const download = downloadCookie(service);
  schemes[cookie] = {
    type: "apiKey",
    in: "cookie",
    name: nameSecurely(download, { BASE_PATH: "" }),
    description: `The cookie that a login sets in a browser; downloads alone read it. Over plain HTTP its name is ${download.name}.`,
  };
  schemes["ticket"] = ticketScheme;
  return [...tokens, { [cookie]: [] }, { ticket: [] }];
}

function describeGuests({ headers, ways }: Guests, schemes: Record<string, object>): object[] {
  for (const [name, description] of Object.entries(headers))
    schemes[name] = { type: "apiKey", in: "header", name, description };
  return ways.map((names) => Object.fromEntries(names.map((name) => [name, []])));
}
