import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatDateTime, isDateTime, parseDateTime, parsePeriod } from "#platform/contract/times.ts";

const zone = "Asia/Shanghai";

test("only real dates in the one shape are dates", () => {
  for (const text of ["2026-02-28 23:59:59", "2024-02-29 00:00:00", "9999-12-31 23:59:59"])
    assert.ok(isDateTime(text), text);
  const wrong = "2026-02-30 00:00:00,2026-2-28 00:00:00,2026-02-28T00:00:00,2026-02-28 24:00:00,2026-02-28,";
  for (const text of `${wrong},0000-01-01 00:00:00`.split(",")) assert.ok(!isDateTime(text), text);
});

test("what is parsed is formatted back, in zones of every kind", () => {
  const anyInstant = fc.date({ min: new Date("1990-01-01"), max: new Date("2090-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(
      anyInstant,
      fc.constantFrom(zone, "UTC", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"),
      (instant, anyZone) => {
        const text = formatDateTime(instant, anyZone);
        const plain = Temporal.Instant.fromEpochMilliseconds(instant.getTime())
          .toZonedDateTimeISO(anyZone)
          .toPlainDateTime();
        assert.equal(text, plain.toString({ smallestUnit: "second", roundingMode: "trunc" }).replace("T", " "));
      },
    ),
  );
  assert.equal(formatDateTime(parseDateTime("2026-11-20 09:30:00", zone), zone), "2026-11-20 09:30:00");
});

test("a period is a whole year, month, day or second, or from one's start to another's end", () => {
  for (const [text, start, end] of [
    ["2026", "2026-01-01 00:00:00", "2027-01-01 00:00:00"],
    ["2026-12", "2026-12-01 00:00:00", "2027-01-01 00:00:00"],
    ["2026-02-28", "2026-02-28 00:00:00", "2026-03-01 00:00:00"],
    ["2026-02-28 10:00:00", "2026-02-28 10:00:00", "2026-02-28 10:00:01"],
    ["2026-01,2026-03-05", "2026-01-01 00:00:00", "2026-03-06 00:00:00"],
  ] as const)
    assert.deepEqual(parsePeriod(text, zone), { start: parseDateTime(start, zone), end: parseDateTime(end, zone) });
  for (const text of ["", ",", "2026,", "2026-13", "2026-02-30", "2026-02-28 10:00", "1,2,3"])
    assert.equal(parsePeriod(text, zone), undefined, text);
});
