import assert from "node:assert/strict";
import { test } from "node:test";
import { checkTarget, openAddressRule } from "./addresses.ts";

const words = (text: string): string[] => text.trim().split(/\s+/);

const never = words(`
  0.0.0.0 169.254.169.254 169.254.0.1 100.100.100.200 168.63.129.16 224.0.0.1 255.255.255.255 240.0.0.1 ::
  fe80::1 fe80::1%eth0 ff02::1 fd00:ec2::254 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::169.254.169.254
  64:ff9b::169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1 ::ffff:0:169.254.169.254`);
const privates = words(`
  127.0.0.1 127.0.0.2 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 198.18.0.1 192.0.2.1 ::1
  fd12:3456::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::10.0.0.1 2002:7f00:1:: 2001:db8::1 2001::1
  100::1 4000::1`);
const publics = ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"];

test("without an allow-list only public addresses are allowed", () => {
  const isAllowed = openAddressRule([]);
  for (const address of [...never, ...privates, "", "no address", "1.2.3", "localhost"])
    assert.equal(isAllowed(address), false, address);
  for (const address of publics) assert.equal(isAllowed(address), true, address);
});

test("a list allows private networks, and never what belongs to the machine or the link", () => {
  const isAllowed = openAddressRule(["0.0.0.0/0", "::/0"]);
  for (const address of never) assert.equal(isAllowed(address), false, address);
  for (const address of [...privates, ...publics]) assert.equal(isAllowed(address), true, address);
});

test("a list allows what it names and no more, in IPv6 clothes too", () => {
  const isAllowed = openAddressRule(["127.0.0.1/32", "10.20.0.0/16", "fd12:3456::/32"]);
  for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "10.20.255.1", "fd12:3456::9", "64:ff9b::10.20.0.1"])
    assert.equal(isAllowed(address), true, address);
  for (const address of ["127.0.0.2", "10.21.0.1", "fd12:3457::1", "::1"])
    assert.equal(isAllowed(address), false, address);
});

test("a target is refused for the address that it names, in any spelling", () => {
  const refused = words(`
    http://127.0.0.2/ http://127.0.0.2./ http://2130706434/ http://0x7f000002/ http://0177.0.0.2/ http://127.2/
    http://0x7f.2/ http://[::ffff:127.0.0.2]/ http://[::1]:8080/hook http://[0:0:0:0:0:0:0:1]/
    https://[64:ff9b::7f00:2]/ http://169.254.169.254/latest/meta-data http://１２７.0.0.2/ http://0/`);
  for (const url of refused) assert.equal(checkTarget(url, ["127.0.0.1/32"]), "refusedAddress", url);
  assert.equal(checkTarget("http://127.0.0.1:99/x", ["127.0.0.1/32"]), "ok");
  assert.equal(checkTarget("https://receiver.example.edu/hook?x=1", []), "ok");
});

test("a target has a scheme of the web and no sign-in data", () => {
  const none: readonly string[] = [];
  for (const url of ["ftp://example.edu/", "file:///etc/passwd", "gopher://x/", "javascript:alert(1)"])
    assert.equal(checkTarget(url, none), "badScheme", url);
  for (const url of [
    "",
    "example.edu",
    "http://",
    "http://user@example.edu/",
    "http://u:p@example.edu/",
    "http://a b/",
  ])
    assert.equal(checkTarget(url, none), "badUrl", url);
});
