import assert from "node:assert/strict";
import { test } from "node:test";
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
