import assert from "node:assert/strict";
import { test } from "node:test";
import { listRights } from "#platform/contract/rights.ts";
import { areSameServices, mayManage, splitAtHours, toStoredServices, toWireServices } from "./rules.ts";

const at = (time: string): Date => new Date(`2026-11-20T${time}Z`);

const services = ["reporting", "attendance", "push-relay", "tuition-payment", "disease-command"];

test("all five services mean unrestricted, fewer are kept once each in the order of the listing", () => {
  const all = services.toReversed();
  assert.equal(toStoredServices(services, all), null);
  assert.deepEqual(toStoredServices(services, ["push-relay", "reporting", "push-relay"]), ["reporting", "push-relay"]);
  assert.deepEqual(toStoredServices(services, []), []);
  assert.deepEqual(toWireServices(services, null), all.toReversed());
  assert.deepEqual(toWireServices(services, []), []);
  assert.ok(areSameServices(services, null, all));
  assert.ok(!areSameServices(services, null, ["reporting"]));
});

test("an operator manages those who run no more than they do, and have no rights that they lack", () => {
  type Some = readonly string[] | null;
  const manages = (own: Some, others: Some, ownRights: Some = null, otherRights: Some = null) =>
    mayManage(services, { services: own, rights: ownRights }, { services: others, rights: otherRights });
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

test("a span is split at whole hours", () => {
  assert.deepEqual(splitAtHours({ start: undefined, end: undefined }), {
    whole: { start: undefined, end: undefined },
    edges: [],
  });
  assert.deepEqual(splitAtHours({ start: at("08:00:00"), end: at("10:00:00") }), {
    whole: { start: at("08:00:00"), end: at("10:00:00") },
    edges: [],
  });
  assert.deepEqual(splitAtHours({ start: at("08:30:00"), end: at("10:00:01") }), {
    whole: { start: at("09:00:00"), end: at("10:00:00") },
    edges: [
      { start: at("08:30:00"), end: at("09:00:00") },
      { start: at("10:00:00"), end: at("10:00:01") },
    ],
  });
});

test("a span without a whole hour is one piece, an empty or inverted one is none", () => {
  const short = { start: at("08:30:00"), end: at("09:30:00") };
  assert.deepEqual(splitAtHours(short), { whole: undefined, edges: [short] });
  assert.deepEqual(splitAtHours({ start: at("09:00:00"), end: at("09:00:00") }), { whole: undefined, edges: [] });
  assert.deepEqual(splitAtHours({ start: at("10:00:00"), end: at("09:00:00") }), { whole: undefined, edges: [] });
});

test("an open end is whole up to where the log ends", () => {
  assert.deepEqual(splitAtHours({ start: at("08:30:00"), end: undefined }), {
    whole: { start: at("09:00:00"), end: undefined },
    edges: [{ start: at("08:30:00"), end: at("09:00:00") }],
  });
  assert.deepEqual(splitAtHours({ start: undefined, end: at("08:30:00") }), {
    whole: { start: undefined, end: at("08:00:00") },
    edges: [{ start: at("08:00:00"), end: at("08:30:00") }],
  });
});
