import assert from "node:assert/strict";
import { test } from "node:test";
import { compileNetworks, isNetwork, toClientAddress } from "#platform/contract/networks.ts";

test("a network is an address, or an address and a prefix that fits it", () => {
  for (const text of "10.0.0.0/8,192.0.2.7,0.0.0.0/0,10.1.2.3/32,::/0,2001:db8::1/128,::ffff:10.0.0.1".split(","))
    assert.ok(isNetwork(text), text);
  const wrong = ",/8,10.0.0.0/,10.0.0.0/33,10.0.0.0/08,10.0.0.0/8/8,10.0.0.0/-1,10.0.0,10.0.0.0/8 ,::/129";
  for (const text of `${wrong},fe80::1%eth0,fe80::1%eth0/64,localhost,*,10.0.0.0/255.0.0.0`.split(","))
    assert.ok(!isNetwork(text), text);
});

test("an address lies in a network in whichever form it comes", () => {
  const lies = compileNetworks(["10.1.2.3/8", "192.0.2.7", "2001:db8::/32", "::ffff:198.51.100.1"]);
  for (const address of "10.255.0.1,::ffff:10.0.0.1,192.0.2.7,2001:db8:ffff::1,2001:0DB8::1,198.51.100.1".split(","))
    assert.ok(lies(address), address);
  for (const address of ["11.0.0.1", "192.0.2.8", "2001:db9::1", "::1", "", "unknown", "10.0.0.1.2", "10.0.0.0/8"])
    assert.ok(!lies(address), address);
  assert.ok(!compileNetworks([])("10.0.0.1"));
});

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
