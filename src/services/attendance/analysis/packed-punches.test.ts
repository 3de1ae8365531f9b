import assert from "node:assert/strict";
import { test } from "node:test";
import { readDay, writeDay, writeMinute } from "#services/attendance/days.ts";
import type { PunchRow } from "#services/attendance/model.ts";
import { createTestDatabase } from "#test/database.ts";
import { type PackedPunches, packPunches, unpackPunches } from "./employee-store.ts";

const { pool } = await createTestDatabase();

test("punches come out of the database as they lie in it", async () => {
  const [group] = await pool<PackedPunches[]>`
    select '正常' as result, '某地' as address, ${packPunches} as packed
    from (values
      (5, 4, date '2026-05-31', timestamp '2026-05-31 22:00', timestamp '2026-06-01 06:59:59'),
      (6, 1048576, '1999-12-31', null, '1999-12-31 23:59'),
      (6, 7, '2026-05-04', '2026-05-04 08:30', null),
      (9, 8, '2026-05-04', null, null)) as punch (employee, row, day, scheduled, time)`;
  assert.ok(group);
  const lists = new Map<number, PunchRow[]>([5, 6].map((employee) => [employee, []]));
  unpackPunches(group, lists);
  assert.deepEqual(
    [...lists].map(([employee, rows]) => [employee, rows.map(toTexts)]),
    [
      [5, [[4, "2026-05-31", "2026-05-31 22:00", "2026-06-01 06:59"]]],
      [
        6,
        [
          [1_048_576, "1999-12-31", null, "1999-12-31 23:59"],
          [7, "2026-05-04", "2026-05-04 08:30", null],
        ],
      ],
    ],
  );
  assert.deepEqual(lists.get(5)?.[0]?.mark, { result: "正常", address: "某地" });
  assert.equal(lists.get(6)?.[1]?.day, readDay("2026-05-04"));
});

const toText = (minute: number | null) => (minute === null ? null : writeMinute(minute));
const toTexts = ({ row, day, scheduled, time }: PunchRow) => [row, writeDay(day), toText(scheduled), toText(time)];
