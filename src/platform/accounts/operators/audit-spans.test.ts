import assert from "node:assert/strict";
import { test } from "node:test";
import { splitAtHours } from "./audit-spans.ts";

const at = (time: string): Date => new Date(`2026-11-20T${time}Z`);

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
