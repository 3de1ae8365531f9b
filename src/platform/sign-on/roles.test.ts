import assert from "node:assert/strict";
import { test } from "node:test";
import { listRights } from "#platform/contract/rights.ts";
import { chooseRoles, readRoleClaim } from "./settings.ts";

const services = ["reporting", "attendance"];
const read = (text: string) => readRoleClaim(text, services);

const claim = read(
  "https://campus.example/groups: CN=ops,OU=it = platform/super;a=reporting/administrator/reporting.read+reporting.export; b = reporting/super ;c=attendance/super/attendance.read;",
);

test("values become roles, with what a directory writes and rights as the accounts have them", () => {
  assert.equal(claim.claim, "https://campus.example/groups");
  const [ops, a, b] = claim.roles;
  assert.deepEqual(ops, { value: "CN=ops,OU=it", service: "platform", isSuper: true, rights: null });
  const rights = ["reporting.read", "reporting.export"];
  assert.deepEqual(a, { value: "a", service: "reporting", isSuper: false, rights });
  assert.equal(b?.rights, null);
  // A role that lists every right is not restricted.
  const all = `g: x=reporting/super/${listRights(["reporting"]).join("+")}`;
  assert.equal(read(all).roles[0]?.rights, null);
});

test("somebody is at each service what the setting names first, and an operator nothing else", () => {
  const servicesOf = (values: unknown) => chooseRoles(claim, values).map(({ service, isSuper }) => [service, isSuper]);
  assert.deepEqual(servicesOf("b"), [["reporting", true]]);
  assert.deepEqual(servicesOf(["c", "b", "a"]), [
    ["reporting", false],
    ["attendance", true],
  ]);
  assert.deepEqual(servicesOf(["c", "CN=ops,OU=it"]), [["platform", true]]);
});
