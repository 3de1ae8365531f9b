import { buffer } from "node:stream/consumers";
import { type Cell, writeWorkbook } from "#platform/workbooks/index.ts";
import type { AttendanceSettings } from "#services/attendance/settings.ts";
import { type Generation, listForgotten, makeDemoMonth } from "./attendance-month.ts";
import type { Demonstration, DemoTools } from "./tools.ts";

const people = 120;
const whole = [1, 31] as const;
const weeks = [
  [1, 4],
  [5, 11],
  [12, 18],
  [19, 25],
  [26, 31],
] as const;
// HR exports the current month every week, so the demo's last month is imported in weekly parts.
const months: readonly (readonly [string, Generation, readonly (readonly [first: number, last: number])[]])[] = [
  ["2021-03", 2020, [whole]],
  ["2026-09", 2026, [whole]],
  ["2026-10", 2026, weeks],
];

async function load({ call, upload, say }: DemoTools): Promise<void> {
  for (const [month, generation, ranges] of months) {
    for (const range of ranges) {
      const { monthSheet, originalSheet } = makeDemoMonth({ month, people, generation, range });
      const name = range === whole ? month : `${month}_${range.join("-")}日`;
      await upload(
        "/attendance/month/importExcel",
        `示例大学_月度汇总_${name}.xlsx`,
        await toWorkbook("月度汇总", monthSheet),
      );
      await upload(
        "/attendance/original/importOriginal",
        `示例大学_原始记录_${name}.xlsx`,
        await toWorkbook("原始记录", originalSheet),
      );
    }
    const { workSheet } = makeDemoMonth({ month, people, generation });
    await upload(
      "/attendance/work/importWork",
      `示例大学_员工信息_${month}.xlsx`,
      await toWorkbook("员工信息", workSheet),
      { month },
    );
    await call("GET", `/attendance/month/analyse?month=${month}`);
  }
  await loadObjections(call);
  say(
    `attendance: loaded ${months.length} months of ${people} people in both export formats, one month as weekly files; a running server analyses these months`,
  );
}

const texts = ["忘记打卡，当天上午在教务处值班。", "打卡机没有反应，有同事可以证明。", "上午外出开会，未带手机。"];

async function loadObjections(call: DemoTools["call"]): Promise<void> {
  const { totalCount } = (await call("GET", "/attendance/objection/list")) as { totalCount: number };
  if (totalCount > 0) return;
  const month = "2026-10";
  for (const [index, { workNumber, day }] of listForgotten(month, people).slice(0, texts.length).entries()) {
    const punches = [{ slot: "上班1", time: "08:25" }];
    const objection = { month, day: Number(day.slice(8)), kind: "forgot", text: texts[index], punches };
    await call("POST", "/attendance/own/objection", objection, { employee_no: workNumber });
  }
  const { list } = (await call("GET", "/attendance/objection/list")) as { list: { id: number }[] };
  const refusal = { accept: false, note: "会议记录中没有您，请补充证明。" };
  await call("PUT", `/attendance/objection/judge/${list[0]?.id}`, refusal);
}

const toWorkbook = (sheetName: string, [head = [], ...rows]: readonly (readonly Cell[])[]): Promise<Buffer> => {
  const width = Math.max(head.length, ...rows.slice(0, 3).map((row) => row.length));
  const columns = Array.from({ length: width }, (_, index) => ({ header: String(head[index] ?? "") }));
  return buffer(writeWorkbook({ sheetName, columns, rows: [rows] }));
};

export const attendanceDemo: Demonstration<AttendanceSettings> = {
  load,
  settingsToLoad: () => ({ EMPLOYEE_IDENTITY: "header" }),
  settingsToServe: ({ EMPLOYEE_IDENTITY: way }) => ({ EMPLOYEE_IDENTITY: way === "off" ? "demo" : way }),
};
