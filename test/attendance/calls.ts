import { openAsBlob } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import type { Answer, TestApp } from "#test/app.ts";
import { type Sheet, writeBook } from "#test/attendance/workbooks.ts";
import { until } from "#test/until.ts";

export const importPaths = {
  month: "/attendance/month/importExcel",
  original: "/attendance/original/importOriginal",
  work: "/attendance/work/importWork",
} as const;
export type ImportName = keyof typeof importPaths;

export type Caller = Pick<TestApp, "call">;

export interface Attendance {
  get(target: string, query?: Record<string, string | number | undefined>): Promise<Answer>;
  put(target: string, body: unknown): Promise<Answer>;
  upload(to: ImportName, file: string, fields?: Record<string, string>): Promise<Answer>;
  send(to: ImportName, sheets: readonly Sheet[], fields?: Record<string, string>): Promise<Answer>;
  sendBytes(
    to: ImportName,
    fileName: string,
    bytes: Uint8Array | string,
    fields?: Record<string, string>,
  ): Promise<Answer>;
  analyse(month: string): Promise<{ month: string; statu: number; total: number; done: number; waring: string }>;
}

export async function openAttendance(app: Caller, token: string): Promise<Attendance> {
  const folder = await mkdtemp(path.join(tmpdir(), "attendance-test-"));
  after(() => rm(folder, { recursive: true, force: true }));
  let files = 0;
  const get: Attendance["get"] = (target, query = {}) =>
    app.call("GET", `/attendance/month/${target}`, { token, query });
  const upload: Attendance["upload"] = async (to, file, fields = {}) =>
    app.call("POST", importPaths[to], { token, file: [path.basename(file), await openAsBlob(file)], fields });
  return {
    get,
    put: (target, body) => app.call("PUT", `/attendance/month/${target}`, { token, body }),
    upload,
    async send(to, sheets, fields) {
      const file = path.join(folder, `book-${++files}.xlsx`);
      await writeBook(file, sheets);
      return upload(to, file, fields);
    },
    async sendBytes(to, fileName, bytes, fields) {
      const file = path.join(folder, `${++files}-${fileName}`);
      await writeFile(file, bytes);
      return upload(to, file, fields);
    },
    async analyse(month) {
      const started = await get("analyse", { month });
      if (started.json.code !== "0") throw new Error(started.text);
      return waitForAnalysis(get, month);
    },
  };
}

export const waitForAnalysis = (get: Attendance["get"], month: string) =>
  until(
    `the analysis of ${month} ends`,
    async () => {
      const { data } = (await get("queryAnalyseStatu", { month })).json;
      return data.statu > 1 && data;
    },
    { withinMs: 120_000, everyMs: 20 },
  );
