import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type * as z from "zod";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { contracts } from "#quintet/app.ts";
import { startTestApp } from "#test/app.ts";
import { fillForStreams, filledMonths } from "#test/attack/fill.ts";

const app = await startTestApp();
const operations = contracts.flatMap(({ name: service, endpoints }) =>
  Object.entries(endpoints).map(([name, endpoint]) => ({ key: `${service}/${name}`, endpoint })),
);

const listOf = (header: string | null): string[] =>
  (header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());

const whoAsks = ({ access, headers = {} }: Endpoint): string[] => {
  if (access.who === "anyone") return Object.keys(headers);
  if (access.who === "guest") return ["card_number", "card_time", "card_sign", "card_token"];
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

test("successes and what no operation answers neither", async () => {
  const { token } = await app.signIn("platform");
  for (const path of [
    "/platform/settings",
    "/reporting/user/list",
    "/tuitionpayment/payableinfo/export",
    "/nowhere",
    "/readyz",
  ]) {
    const { headers } = await app.call("GET", path, { token });
    assert.equal(headers.get("cache-control"), "no-store", path);
  }
});

describe("large answers", () => {
  const packed = async (path: string, encoding: string) => {
    const { token } = await app.signIn("platform");
    const plain = await app.call("GET", path, { token, headers: { "accept-encoding": "identity" } });
    // The client that unpacks would hide what came.
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

/** The names of all fields of a schema that can hold a text. */
function listFields(schema: z.core.$ZodType, depth = 0): string[] {
  const { shape, element, innerType, options } = schema._zod.def as {
    shape?: Record<string, z.core.$ZodType>;
    element?: z.core.$ZodType;
    innerType?: z.core.$ZodType;
    options?: z.core.$ZodType[];
  };
  if (depth > 8) return [];
  const below = [element, innerType, ...(options ?? [])].filter((one) => one !== undefined);
  return [
    ...Object.entries(shape ?? {}).flatMap(([name, field]) => [
      ...(["null", "boolean"].includes(field._zod.def.type) ? [] : [name]),
      ...listFields(field, depth + 1),
    ]),
    ...below.flatMap((one) => listFields(one, depth + 1)),
  ];
}
