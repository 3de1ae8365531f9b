import { downloadCookie, nameSecurely } from "#platform/accounts/cookies.ts";
import {
  type Access,
  type Endpoint,
  type Guests,
  guestsOf,
  type ServiceContract,
} from "#platform/contract/endpoint.ts";
import { requiredGroup } from "#platform/contract/rights.ts";
import { describeContent, describeFailures, listProblems } from "./responses.ts";
import type { JsonSchema, SchemaWriter } from "./schema.ts";

export interface Draft {
  readonly writer: SchemaWriter;
  readonly examples: Record<string, object>;
  readonly securitySchemes: Record<string, object>;
}

export function describeOperation(contract: ServiceContract, name: string, endpoint: Endpoint, draft: Draft): object {
  const { access, answer, own, summary } = endpoint;
  // The id, such as `library_lend`, becomes the method's name in generated clients.
  const id = `${contract.name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}_${name}`;
  const parameters = describeParameters(endpoint, id, draft);
  const requestBody = describeBody(endpoint, id, draft);
  const holdsBoundedText = JSON.stringify(parameters).includes('"maxLength"');
  const successes =
    answer.as === "reply"
      ? Object.entries(answer.replies).map(([status, description]) => [status, { description, content: {} }])
      : [["200", describeAnswer(endpoint, id, draft)]];
  const [takes, asFile] = [requiredGroup(endpoint), requiredGroup(endpoint, true)];
  const failures = describeFailures(contract, endpoint, listProblems(endpoint, holdsBoundedText), draft.examples);
  const security = listRequirements(contract.name, access, draft.securitySchemes);
  const addition = own ? " Not in the interface documents: added by this platform." : "";
  return {
    operationId: id,
    tags: [contract.name],
    summary,
    description: whoMayCall(access) + addition,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...Object.fromEntries(successes), ...failures },
    ...(endpoint.scoped && { "x-scoped": true }),
    ...(takes !== undefined && { "x-right": takes, ...(asFile !== takes && { "x-right-as-file": asFile }) }),
    ...(security !== tokens && { security }),
  };
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
    description:
      "Any unique text. A retry with the same key within 24 hours returns the result of the first successful call.",
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

const toParameters = ({ properties = {}, required = [] }: JsonSchema, place: "path" | "query"): object[] =>
  Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    ...(typeof description === "string" && { description }),
    ...((place === "path" || (required as string[]).includes(name)) && { required: true }),
    ...(schema["type"] === "array" && { style: "form", explode: true }),
    schema,
  }));

function describeBody(
  { body, form, raw, upload, fields }: Endpoint,
  id: string,
  { writer }: Draft,
): object | undefined {
  if (upload) {
    const { limit, imagesOnly, mostJsonMb } = upload;
    const { properties = {}, required = [] } = fields ? writer.write(fields, "input", `${id}_fields`) : {};
    const description = mostJsonMb
      ? `JSON of at most ${mostJsonMb} MiB`
      : limit === "workbook"
        ? "A workbook: xlsx or csv"
        : imagesOnly
          ? "An image: png, jpg, gif or webp"
          : "A document, image, text or zip file; the type is determined by its content, not its name";
    const schema = {
      type: "object",
      required: ["file", ...(required as string[])],
      properties: { file: { type: "string", format: "binary", description }, ...(properties as object) },
    };
    return { required: true, content: { "multipart/form-data": { schema } } };
  }
  if (raw) return { content: { "*/*": { schema: { type: "string", format: "binary" } } } };
  if (!body) return undefined;
  const schema = writer.write(body, "input", `${id}_body`);
  const content = {
    "application/json": { schema },
    ...(form && { "application/x-www-form-urlencoded": { schema }, "multipart/form-data": { schema } }),
  };
  return { ...(!body.safeParse(undefined).success && { required: true }), content };
}

function describeAnswer({ answer, answerHeaders, access }: Endpoint, id: string, { writer }: Draft): object {
  const data = "data" in answer ? writer.write(answer.data, "output", `${id}_data`) : undefined;
  const isLogin = access.who === "anyone" && access.limit === "login";
  const told = { ...(isLogin && { admin_token: "Same token as in data" }), ...answerHeaders };
  const headers = Object.entries(told).map(([name, description]) => [
    name,
    { description, schema: { type: "string" } },
  ]);
  return {
    description: "Success",
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    content: describeContent(answer, data),
  };
}

// The interface documents use all of these spellings, and every operation that takes a token accepts each of them.
const tokenHeaders = ["admin_token", "admin-token", "Admin-Token"] as const;

export const tokens: readonly object[] = [...tokenHeaders, "accessKey"].map((name) => ({ [name]: [] }));

const tokenDescription =
  "Token returned by a login. Use any one of admin_token, admin-token and Admin-Token; many proxies drop header names with underscores.";

export const tokenSchemes: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    tokenHeaders.map((name) => [name, { type: "apiKey", in: "header", name, description: tokenDescription }]),
  ),
  accessKey: {
    type: "http",
    scheme: "bearer",
    description: "Access key of a service account, for programs; it can also be sent in a token header.",
  },
};

function whoMayCall(access: Access): string {
  if (access.who === "anyone" && access.limit === "refusals")
    return "Open to anyone; the number of refused calls per client address is limited.";
  if (access.who === "anyone")
    return access.limit ? "Open to anyone; the number of calls per client address is limited." : "Open to anyone.";
  if (access.who === "operator") return "For operators of the platform.";
  if (access.who === "account") return "For all signed-in accounts of all services.";
  if (access.who === "guest") {
    const { title, knownBy } = access.guests;
    return `For ${title}.${access.mostPerMinute ? ` The number of calls per ${knownBy} is limited.` : ""}`;
  }
  const who =
    access.who === "super" ? "For super administrators of the service." : "For administrators of the service.";
  if (access.who === "administrator" && access.orGuests)
    return `For administrators of the service, and for ${access.orGuests.title}.`;
  const open = access.who !== "download" && access.headerUndocumented;
  return open ? `${who} Open to anyone if UNDOCUMENTED_AUTH opens the service.` : who;
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
    description: `Cookie that a login sets in the browser; used by downloads only. Over plain HTTP its name is ${download.name}.`,
  };
  schemes["ticket"] = {
    type: "apiKey",
    in: "query",
    name: "ticket",
    description: "Ticket for a link in a browser; valid for one download within a minute.",
  };
  return [...tokens, { [cookie]: [] }, { ticket: [] }];
}

function describeGuests({ headers, ways }: Guests, schemes: Record<string, object>): object[] {
  for (const [name, description] of Object.entries(headers))
    schemes[name] = { type: "apiKey", in: "header", name, description };
  return ways.map((names) => Object.fromEntries(names.map((name) => [name, []])));
}
