import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { withinOneMinute } from "#test/one-minute.ts";
import { toClientAddress } from "./client-address.ts";

test("a client is an address, or the /64 of one, whatever stands around it", () => {
  const cases: [string | undefined, string][] = [
    ["198.51.100.7", "198.51.100.7"],
    ["198.51.100.7:49152", "198.51.100.7"],
    ["::ffff:198.51.100.7", "198.51.100.7"],
    ["[::FFFF:198.51.100.7]:80", "198.51.100.7"],
    ["2001:db8:0:1::7", "2001:db8:0:1::/64"],
    ["[2001:db8:0:1::7]", "2001:db8:0:1::/64"],
    ["[2001:DB8:0:1:9::8]:443", "2001:db8:0:1::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    [undefined, "unknown"],
    ["", "unknown"],
    ["unknown", "unknown"],
    ["_hidden:80", "unknown"],
    ["198.51.100.7:x", "unknown"],
    ["198.51.100.777:80", "unknown"],
    ["[198.51.100", "unknown"],
  ];
  for (const [text, client] of cases) assert.equal(toClientAddress(text), client, String(text));
});

const settings = { RATE_LIMIT_OPEN: "3", TRUSTED_PROXIES: "127.0.0.1,203.0.113.0/24" };
const app = await startTestApp({ services: ["reporting"], settings });
const ask = async (from: string) =>
  (await app.call("GET", "/reporting/wx/getPhone?code=x", { headers: { "x-forwarded-for": from } })).json.code;

test("ports make no clients, and a proxy that writes its own is known all the same", async () => {
  const ports = [1, 2, 3, 4, 5].map((port) => `198.51.100.7:${port}`);
  const behind = [1, 2, 3, 4].map((port) => `[2001:db8::7]:${port}, 203.0.113.5:${port}`);
  const codes = await withinOneMinute(app.pool, async () => {
    const answers = [];
    for (const from of [...ports, ...behind, "198.51.100.8:1, 203.0.113.5:9"]) answers.push(await ask(from));
    return answers;
  });
  assert.deepEqual(codes, ["20004", "20004", "20004", "20001", "20001", "20004", "20004", "20004", "20001", "20004"]);
});
