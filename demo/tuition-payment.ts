import { buffer } from "node:stream/consumers";
import { writeWorkbook } from "#platform/workbooks/index.ts";
import { headings } from "#services/tuition-payment/import.ts";
import type { TuitionSettings } from "#services/tuition-payment/settings.ts";
import { asStudent, loadDemoOrders } from "./orders.ts";
import { type DemoRow, makeStudents } from "./students.ts";
import type { Demonstration, DemoTools } from "./tools.ts";

const students = 2000;
const paidStudents = 40;
const freshCard = "2025000001";

export const writeDemoWorkbook = (rows: readonly DemoRow[]): Promise<Buffer> =>
  buffer(
    writeWorkbook({
      sheetName: "缴费信息",
      columns: headings.map(({ texts }) => ({ header: texts[0] ?? "" })),
      rows: [rows.map((row) => headings.map(({ key }) => row[key]))],
    }),
  );

const complaints = [
  {
    card: "2023000001",
    feedbackPersonName: "赵示例",
    feedbackPersonPhone: "555 0100 0001",
    feedbackInfo: "住宿费与宿舍不符。",
  },
  {
    card: "2026000001",
    feedbackPersonName: "李示例",
    feedbackPersonPhone: "555 0100 0002",
    feedbackInfo: "新生何时可以缴费？",
  },
];

async function load(tools: DemoTools): Promise<void> {
  const { call, upload, say } = tools;
  const workbook = await writeDemoWorkbook(makeStudents(students));
  const stored = await upload("/tuitionpayment/payableinfo/import", "示例大学_缴费信息_2026.xlsx", workbook, {
    replace: "true",
  });
  const path = `/tuitionpayment/payableinfo/list?pageSize=${paidStudents}&orderField=studentNo`;
  const page = (await call("GET", path)) as { list: { id: number }[] };
  for (const { id } of page.list) await call("PUT", `/tuitionpayment/payableinfo/pay/${id}/true`);
  await loadDemoOrders(tools);
  for (const { card, ...feedback } of complaints)
    await call("POST", "/tuitionpayment/feedbackmsg/save", feedback, asStudent(card));
  say(`tuition payment: loaded ${String(stored)} students of four grades, ${page.list.length} of whom have paid`);
  say(`tuition payment: the card ${freshCard} has only unpaid items, at /h5/tuition/`);
}

// The demo may trust the card number that a request states, since the students are fictitious.
export const tuitionPaymentDemo: Demonstration<TuitionSettings> = {
  load,
  settingsToServe: ({ STUDENT_IDENTITY }) => ({ STUDENT_IDENTITY: STUDENT_IDENTITY ?? "demo" }),
  settingsToLoad: () => ({ STUDENT_IDENTITY: "header" }),
};
