import { after, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { buildConsole, openConsoleTests } from "#test/browser/console.ts";
import { sampleReport } from "#test/sample-report.ts";

await buildConsole();
const app = await startTestApp();
const tests = await openConsoleTests(app);
after(() => tests.close());

test("an administrator sees the reports", async () => {
  const { userName } = await app.signIn("reporting", { isSuper: true });
  await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport() });
  const { page, visit, check } = await tests.open({ as: { account: "reporting", userName } });
  await check("reporting-home");
  await visit("/reporting/reports");
  await page.getByRole("heading", { name: "报备记录" }).waitFor();
  await page.getByRole("cell").first().waitFor();
  await check("reporting-reports");
});
