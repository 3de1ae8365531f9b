import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { after } from "node:test";
import { type Cell, writeWorkbook } from "#platform/workbooks/index.ts";
import { startTestApp, type TestApp } from "#test/app.ts";
import { waitForAnalysis } from "#test/attendance/calls.ts";
import { makeMonth, type Sheet, writeBook } from "#test/attendance/workbooks.ts";
import { pngBytes } from "#test/disease-command.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import { samplePayable } from "#test/tuition-payment.ts";
import { listAttendance, listPushRelay } from "./attendance-and-push-relay.ts";
import { type Ground, play, serviceOf } from "./client.ts";
import { listDiseaseCommandPlaces } from "./disease-command-places.ts";
import { listDiseaseCommand } from "./disease-command.ts";
import type { Documented } from "./documented.ts";
import { listReporting } from "./reporting.ts";
import { listTuitionPayment } from "./tuition-payment.ts";

const forOldPages = {
  STATUS_STYLE: "always-200",
  INPUT_STYLE: "lenient",
  UNDOCUMENTED_AUTH: "open:reporting,attendance,push-relay,tuition-payment,disease-command",
  DATA_KEY: Buffer.alloc(32, 3).toString("base64"),
};

export interface Stage {
  /** Every documented operation, by service, in a sequence in which the operations can be called. */
  readonly services: Readonly<Record<string, readonly Documented[]>>;
  readonly ground: Ground;
  readonly app: TestApp;
  readonly token: string;
  readonly play: (operation: Documented) => Promise<void>;
}

/**
 * Starts a server with what the documents assume: accounts, a student's payable, a campus platform and a messaging
 * platform.
 */
export async function openStage(isOldPage: boolean): Promise<Stage> {
  const wechat = await startWeChatStandIn();
  after(() => wechat.close());
  const app = await startTestApp({
    settings: {
      WECHAT_APP_ID: wechat.appId,
      WECHAT_SECRET: wechat.secret,
      WECHAT_BASE_URL: wechat.url,
      PAY_SIMULATED: "1",
      ...(isOldPage && forOldPages),
    },
  });
  const operator = await app.signIn("platform");
  const ground: Ground = { url: app.url, isOldPage, credentials: new Map(), decisions: new Set() };
  ground.credentials.set("undocumented", operator.token).set("card_number", samplePayable().studentNo);
  const services = await listServices(app, ground, wechat.openIdOf("code-20000000"), operator.token);
  return { services, ground, app, token: operator.token, play: (operation) => play(ground, operation) };
}

async function listServices(
  app: TestApp,
  ground: Ground,
  openId: string,
  operator: string,
): Promise<Stage["services"]> {
  const signIn = (service: string, token: string) => {
    for (const name of ["admin_token", "admin-token", "Admin-Token", "undocumented"])
      ground.credentials.set(`${serviceOf({ call: `GET /${service}/` })}${name}`, token);
  };
  const [reporting, tuition, disease] = [
    await app.signIn("reporting", { isSuper: true }),
    await app.signIn("tuition-payment", { isSuper: true }),
    await app.signIn("disease-command", { isSuper: true }),
  ];
  const body = samplePayable();
  await app.call("POST", "/tuitionpayment/payableinfo/save", { token: operator, body });
  const image = { name: "" };
  const diseaseGround = { ...disease, ...(await makeDiseaseFiles()), ...makeDiseaseRecords(app, operator) };
  const city = { ...diseaseGround, signedIn: (token: string) => signIn("disease-command", token) };
  return {
    reporting: listReporting({
      ...reporting,
      adminId: reporting.id,
      phoneCode: "phone-10000000001",
      openIdCode: "code-20000000",
      openId,
      readPublicKey: async () => (await app.call("GET", "/reporting/user/publicKey")).json.data as string,
      signedIn: (token) => signIn("reporting", token),
    }),
    attendance: listAttendance({
      ...(await makeAttendanceBooks()),
      analysed: async () => {
        const get = (target: string, query = {}) =>
          app.call("GET", `/attendance/month/${target}`, { token: operator, query });
        await waitForAnalysis(get, "2026-10");
      },
    }),
    "push relay": listPushRelay(await registerCampus(app, { token: operator })),
    "tuition payment": listTuitionPayment({
      ...tuition,
      adminId: tuition.id,
      studentNo: body.studentNo,
      studentName: body.studentName,
      signedIn: (token) => signIn("tuitionpayment", token),
    }),
    "disease command": [...listDiseaseCommand(city, image), ...listDiseaseCommandPlaces(city, image)],
  };
}

async function makeDiseaseFiles() {
  const book = (headings: readonly string[], row: readonly Cell[]) =>
    buffer(writeWorkbook({ sheetName: "数据", columns: headings.map((header) => ({ header })), rows: [[row]] }));
  return {
    png: pngBytes,
    detectionBook: await book(["日期", "人群类别", "检测人数", "异常人数"], ["2026-11-19", "教师", 200, 0]),
    clinicBook: await book(["医院名称", "发热门诊人数", "流行病学史人数"], ["示例二院", 12, 0]),
  };
}

function makeDiseaseRecords(app: TestApp, token: string) {
  const save = async (target: string, body: unknown): Promise<number> =>
    Number((await app.call("POST", `/disease-command/${target}/save`, { token, body })).json.data);
  return {
    memberIds: async () => {
      const teamId = await save("emergencyTeam", { teamName: "应急队" });
      return [await save("emergencyTeam/member", { teamId, name: "队员" })];
    },
    capacityIds: async () => [
      await save("scenicSpotMaxCapacitySetting", { scenicSpotName: "虚构湖", maxCapacity: 5000 }),
    ],
  };
}

async function makeAttendanceBooks() {
  const folder = await mkdtemp(path.join(tmpdir(), "old-clients-"));
  after(() => rm(folder, { recursive: true, force: true }));
  const book = async (name: string, sheets: readonly Sheet[]): Promise<Buffer> => {
    const file = path.join(folder, name);
    await writeBook(file, sheets);
    return readFile(file);
  };
  const month = makeMonth({ month: "2026-10", people: 1, seed: 1, generation: 2026 });
  return {
    monthBook: await book("month.xlsx", [month.monthSheet]),
    originalBook: await book("original.xlsx", [month.originalSheet]),
    workBook: await book("work.xlsx", [month.identitySheet]),
  };
}
