import { readSettings } from "#quintet/settings.ts";
import { loadDemo } from "#demo/index.ts";
import { startTestApp, type TestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { buildWeb, type ConsoleTests, openConsoleTests } from "#test/browser/console.ts";
import { listPages } from "#test/browser/pages.ts";

interface DemoPages {
  readonly app: TestApp;
  readonly tests: ConsoleTests;
  readonly userName: string;
  readonly month: string;
  readonly all: readonly string[];
}

export async function openDemoPages(): Promise<DemoPages> {
  await buildWeb();
  const app = await startTestApp();
  const tests = await openConsoleTests(app);
  await loadDemo(
    readSettings({ DATA_DIR: app.dataDir, DATABASE_URL: app.database.url, DATABASE_POOL: "4" }),
    () => undefined,
  );
  const { userName, token } = await app.signIn("platform");
  const month = "2026-10";
  const attendance = await openAttendance(app, token);
  await attendance.analyse(month);
  const [payable] = await app.pool<{ id: number }[]>`select id from tuition_payment.payable order by id limit 1`;
  return { app, tests, userName, month, all: await listPages({ month, payableId: String(payable?.id) }) };
}
