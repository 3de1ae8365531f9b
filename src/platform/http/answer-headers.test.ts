import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type * as z from "zod";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { contracts } from "#quintet/app.ts";
import { type Answer, startTestApp } from "#test/app.ts";
import { fillForStreams, filledMonths } from "#test/attack/fill.ts";
import { openSocket } from "#test/attack/slow.ts";

const app = await startTestApp({ settings: { TRUSTED_PROXIES: "127.0.0.1", RATE_LIMIT_OPEN: "2" } });
const operations = contracts.flatMap(({ name: service, endpoints }) =>
  Object.entries(endpoints).map(([name, endpoint]) => ({ key: `${service}/${name}`, endpoint })),
);

const listOf = (header: string | null): string[] =>
  (header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());

const whoAsks = ({ access, headers = {} }: Endpoint): string[] => {
  if (access.who === "anyone" && access.orAdministrator) return ["admin_token", "admin-token", "cookie"];
  if (access.who === "anyone") return Object.keys(headers);
  if (access.who === "guest") return Object.keys(access.guests.headers);
  return ["admin_token", "admin-token", ...(access.who === "download" ? ["cookie"] : [])];
};

test("no answer is stored on its way, unless its operation says so; and it is told by which headers it differs", async () => {
  for (const { key, endpoint } of operations) {
    const path = endpoint.url.replaceAll(/:\w+/g, "1");
    const { headers } = await app.call(endpoint.answer.as === "events" ? "HEAD" : endpoint.method, path);
    assert.equal(headers.get("cache-control"), "no-store", key);
    const varies = listOf(headers.get("vary"));
    for (const name of ["accept-language", ...whoAsks(endpoint)]) assert.ok(varies.includes(name), `${key}: ${name}`);
  }
});

const from = (address: string, headers: Record<string, string> = {}) => ({ ...headers, "x-forwarded-for": address });

const submit = (address: string, raw = "{}") => {
  const headers = from(address, { "content-type": "application/json" });
  return app.call("POST", "/reporting/informationReporting/add", { raw, headers });
};

async function upload(): Promise<Answer> {
  const options = { file: ["a.txt", "a text"], headers: from("192.0.2.1") } as const;
  const { json } = await app.call("POST", "/reporting/file/fileUpDown", options);
  const { token } = await app.signIn("reporting");
  return app.call("GET", new URL(json.data, app.url).pathname, { token });
}

const page = (path: string) => app.call("GET", path, { headers: { accept: "text/html" } });

async function sendRaw(line: string): Promise<Answer> {
  const { ended } = await openSocket(app.url, `${line}\r\nhost: x\r\nconnection: close\r\n\r\n`);
  const [head = "", text = ""] = (await ended).split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]));
  return { status: Number(first.split(" ")[1]), headers, text, json: undefined };
}

const api = "default-src 'none';frame-ancestors 'none'";
const json = "application/json; charset=utf-8";
const html = "text/html; charset=utf-8";
const scripts = "script-src 'self'";

interface Expected {
  readonly status: number;
  readonly type: string | null;
  readonly caching?: string;
  readonly policy?: string | readonly string[];
}

const kinds: Readonly<Record<string, readonly [() => Promise<Answer>, Expected]>> = {
  "a success": [() => submit("192.0.2.9").then(() => app.call("GET", "/livez")), { status: 200, type: json }],
  "bad input": [() => submit("192.0.2.2"), { status: 400, type: json }],
  "a path that cannot be read": [() => app.call("GET", "/reporting/file/%zz"), { status: 400, type: json }],
  "no token": [() => app.call("GET", "/platform/settings"), { status: 401, type: json }],
  "an unknown path": [() => app.call("GET", "/nowhere"), { status: 404, type: json }],
  "a wrong method": [() => app.call("PUT", "/platform/login"), { status: 405, type: json }],
  "a body that is too large": [() => submit("192.0.2.3", `"${"a".repeat(1_100_000)}"`), { status: 413, type: json }],
  "too many": [
    async () => {
      for (let calls = 0; calls < 2; calls++) await submit("192.0.2.4");
      return submit("192.0.2.4");
    },
    { status: 429, type: json },
  ],
  "what is no HTTP": [() => sendRaw("HELLO"), { status: 400, type: json }],
  "two hosts": [() => sendRaw("GET /livez HTTP/1.1\r\nhost: y"), { status: 400, type: json }],
  "a redirect": [() => sendRaw("GET /console HTTP/1.1"), { status: 302, type: null }],
  "changes as they happen": [
    () => app.call("HEAD", "/disease-command/changes"),
    { status: 200, type: "text/event-stream; charset=utf-8" },
  ],
  "an upload": [upload, { status: 200, type: "text/plain; charset=utf-8", caching: "*" }],
  "a workbook": [
    async () => {
      const { token } = await app.signIn("reporting");
      return app.call("GET", "/reporting/informationReporting/download", { token });
    },
    { status: 200, type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
  ],
  "the OpenAPI document": [() => app.call("GET", "/openapi.json"), { status: 200, type: json, caching: "*" }],
  readiness: [() => app.call("GET", "/readyz"), { status: 200, type: json }],
  "metrics without a token": [() => app.call("GET", "/metrics"), { status: 401, type: json }],
  "the entrances": [() => page("/"), { status: 200, type: html, caching: "*", policy: ["style-src 'self';"] }],
  "no such page": [() => page("/nowhere"), { status: 404, type: html, policy: ["style-src 'self';"] }],
  "the console": [() => page("/console/"), { status: 200, type: html, policy: [scripts, "style-src 'self' 'nonce-"] }],
  "a page for everybody": [
    () => page("/h5/tuition/"),
    { status: 200, type: html, caching: "*", policy: [scripts, "style-src 'self';"] },
  ],
  "the reference": [() => page("/docs"), { status: 200, type: html, caching: "*", policy: [scripts] }],
};

describe("what every kind of answer has", () => {
  for (const [what, [ask, { status, type, caching = "no-store", policy = api }]] of Object.entries(kinds))
    test(what, async () => {
      const { headers, ...answer } = await ask();
      const told = headers.get("content-security-policy") ?? "";
      assert.equal(answer.status, status);
      assert.equal(headers.get("content-type"), type);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      if (caching !== "*") assert.equal(headers.get("cache-control"), caching);
      for (const name of ["server", "x-powered-by", "set-cookie"]) assert.equal(headers.get(name), null, name);
      if (typeof policy === "string") return assert.equal(told, policy);
      for (const part of ["default-src 'none'", "base-uri 'none'", "frame-ancestors ", ...policy])
        assert.ok(told.includes(part), `${told} lacks ${part}`);
      assert.doesNotMatch(told, /unsafe-eval|https?:|\*/);
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
    });
});

describe("large answers", () => {
  const packed = async (path: string, encoding: string) => {
    const { token } = await app.signIn("platform");
    const plain = await app.call("GET", path, { token, headers: { "accept-encoding": "identity" } });
    const { request } = await import("undici");
    const { headers, body } = await request(app.url + path, {
      headers: { admin_token: token, "accept-encoding": encoding },
    });
    return { plain: plain.text, headers, bytes: Buffer.from(await body.arrayBuffer()) };
  };
  const month = `/attendance/month/downLoad?month=${filledMonths.month}&curPage=1&pageSize=100`;

  before(async () => {
    await fillForStreams(app.pool, 300);
    await app.pool`
      insert into push_relay.campus_app (app_key, app_secret, school_code, name, allowed_networks)
      select lpad(i::text, 16, '0'), '00112233445566778899AABBCCDDEEFF', 'school', repeat('name', 20), '{}' from generate_series(1, 200) as i`;
  });

  for (const path of ["/reporting/informationReporting/list?pageSize=100", month])
    test(`${path.split("?")[0]} leaves as its client takes it`, async () => {
      const gzip = await packed(path, "gzip, deflate");
      assert.equal(gzip.headers["content-encoding"], "gzip");
      assert.ok(listOf(String(gzip.headers["vary"])).includes("accept-encoding"));
      assert.ok(gzip.bytes.length < gzip.plain.length * 0.8);
      assert.equal(gunzipSync(gzip.bytes).toString(), gzip.plain);
      const br = await packed(path, "gzip;q=1, br");
      assert.equal(br.headers["content-encoding"], "br");
      assert.equal(brotliDecompressSync(br.bytes).toString(), br.plain);
      for (const encoding of ["identity", "gzip;q=0, br;q=0", "zstd", ""])
        assert.equal((await packed(path, encoding)).headers["content-encoding"], undefined, encoding);
    });

  test("small ones, workbooks and those with a secret leave as they are", async () => {
    for (const path of [
      "/attendance/month/title",
      `/attendance/month/downLoad?month=${filledMonths.month}&format=xlsx`,
      "/wx/push/campusApp/list",
    ])
      assert.equal((await packed(path, "gzip, br")).headers["content-encoding"], undefined, path);
  });

  test("an answer with a token, key or secret says that it has one", () => {
    const secret = /token|secret|ticket|key$|password/i;
    const openly: readonly string[] = ["platform/listSettings"];
    const found = operations.filter(({ key, endpoint: { answer } }) => {
      if (!("data" in answer) || openly.includes(key)) return false;
      return listFields(answer.data).some((field) => secret.test(field));
    });
    assert.ok(found.length >= 8);
    assert.deepEqual(
      found.filter(({ endpoint }) => endpoint.holdsSecret !== true).map(({ key }) => key),
      [],
    );
  });
});

type Schema = z.core.$ZodType;

function listFields(schema: Schema, depth = 0): string[] {
  const {
    shape = {},
    element,
    innerType,
    options = [],
  } = schema._zod.def as { shape?: Record<string, Schema>; element?: Schema; innerType?: Schema; options?: Schema[] };
  if (depth > 8) return [];
  const fields = Object.entries(shape);
  const named = fields.filter(([, field]) => !["null", "boolean", "literal"].includes(field._zod.def.type));
  const below = [...fields.map(([, field]) => field), element, innerType, ...options];
  return [
    ...named.map(([name]) => name),
    ...below.flatMap((one) => (one === undefined ? [] : listFields(one, depth + 1))),
  ];
}
