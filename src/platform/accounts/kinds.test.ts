import assert from "node:assert/strict";
import { test } from "node:test";
import { listRights } from "#platform/contract/rights.ts";
import { areSamePowers, mayManageAccount, operatorsOf, serviceAccountsOf } from "./kinds.ts";

const services = ["reporting", "attendance", "push-relay", "tuition-payment", "disease-command"];

test("an operator manages those who run no more than they do, and have no rights that they lack", () => {
  type Some = readonly string[] | null;
  const manages = (own: Some, others: Some, ownRights: Some = null, otherRights: Some = null) =>
    operatorsOf(services).mayManage({ services: own, rights: ownRights }, { services: others, rights: otherRights });
  assert.ok(manages(null, null));
  assert.ok(manages(null, ["reporting"]));
  assert.ok(manages(["reporting", "attendance"], ["attendance"]));
  assert.ok(manages(["reporting"], []));
  assert.ok(!manages(["reporting"], null));
  assert.ok(!manages(["reporting"], ["reporting", "attendance"]));
  const reads = ["platform.read", "reporting.read"];
  assert.ok(manages(null, null, null, reads));
  assert.ok(manages(null, null, reads, ["reporting.read"]));
  assert.ok(manages(null, null, reads, []));
  assert.ok(!manages(null, null, reads, null));
  assert.ok(!manages(null, [], reads, null), "of no service, and all of the platform");
  assert.ok(!manages(null, ["reporting"], reads, ["reporting.read", "reporting.write"]));
  assert.ok(manages(["reporting"], ["reporting"], listRights(["platform", "reporting"]), null));
});

test("administrators are managed by who runs their service, service accounts by who has all of their rights", () => {
  const own = { services: ["reporting"], rights: ["platform.read", "reporting.read"] };
  const clerk = (service: string, rights: string[] | null) =>
    mayManageAccount(services, own, { service, services: null, rights });
  assert.ok(clerk("reporting", ["reporting.read"]));
  assert.ok(!clerk("reporting", ["reporting.write"]));
  assert.ok(!clerk("reporting", null));
  assert.ok(!clerk("attendance", []));
  const program = (rights: string[]) => serviceAccountsOf(services).mayManage(own, { services: null, rights });
  assert.ok(program(["platform.read", "reporting.read"]));
  assert.ok(!program(["attendance.read"]));
  assert.ok(areSamePowers({ services: null, rights: ["b", "a"] }, { services: null, rights: ["a", "b"] }));
});
