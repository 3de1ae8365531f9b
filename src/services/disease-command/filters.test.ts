import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";

// Filters of our own, beside those that the documents name.

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");

interface Statistics {
  readonly path: string;
  /** The field beside the date that tells a day's records apart, and its filter. */
  readonly of: "hospitalName" | "peopleType";
  save(date: string, of: string): Promise<unknown>;
}

const save = (path: string, body: object) => app.call("POST", `/disease-command${path}/save`, { token, body });

const lists: readonly Statistics[] = [
  {
    path: "/feverClinicOfHospitalStatistics",
    of: "hospitalName",
    save: (statisticsDate, hospitalName) =>
      save("/feverClinicOfHospitalStatistics", {
        datas: [{ statisticsDate, hospitalName, feverClinicCount: 1, epidemicCount: 0 }],
      }),
  },
  {
    path: "/detectionStatistics",
    of: "peopleType",
    save: (statisticsDate, peopleType) =>
      save("/detectionStatistics", { statisticsDate, peopleType, detectionCount: 1, abnormalCount: 0 }),
  },
];

for (const { path, of, save: store } of lists)
  test(`${path}: by day and by ${of}, alone and together`, async () => {
    for (const date of ["2026-11-01", "2026-11-15", "2026-11-30"])
      for (const name of ["甲_1", "甲%1"]) await store(date, name);
    const read = async (query: Record<string, string | number>) => {
      const { json } = await app.call("GET", `/disease-command${path}/list`, { query });
      assert.equal(json.code, "0", json.message);
      assert.equal(json.data.list.length, json.data.totalCount);
      return json.data.totalCount as number;
    };
    const cases: [Record<string, string>, number][] = [
      [{}, 6],
      [{ startDate: "2026-11-15" }, 4],
      [{ endDate: "2026-11-15" }, 4],
      [{ startDate: "2026-11-02", endDate: "2026-11-29" }, 2],
      [{ startDate: "2026-11-30", endDate: "2026-11-01" }, 0],
      [{ startDate: "", endDate: "", [of]: "" }, 6],
      // Not what stands anywhere in it: _ and % are ordinary characters.
      [{ [of]: "甲_1" }, 3],
      [{ [of]: "甲" }, 0],
      [{ [of]: "甲%1", startDate: "2026-11-15", endDate: "2026-11-15" }, 1],
    ];
    for (const [query, count] of cases) assert.equal(await read(query), count, JSON.stringify(query));
    for (const startDate of ["2026-02-30", "2026-11", "x"]) {
      const { status, json } = await app.call("GET", `/disease-command${path}/list`, { query: { startDate } });
      assert.deepEqual([status, json.code], [400, "10001"], startDate);
    }
  });
