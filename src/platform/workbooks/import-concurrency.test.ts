import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { type Answer, startTestApp } from "#test/app.ts";
import { importHeadings } from "#test/attack/hostile-workbooks.ts";
import { setImportHook } from "#platform/workbooks/import-problems.ts";
import { beginUpload, openSocket } from "#test/attack/slow.ts";
import { until } from "#test/until.ts";

const app = await startTestApp({ settings: { DATABASE_POOL: "4" } });
const { token } = await app.signIn("platform");

interface Import {
  readonly url: string;
  readonly headings: readonly string[];
  readonly row: (n: number) => readonly (string | number)[];
}

const imports: Readonly<Record<string, Import>> = {
  "tuition-payment/importPayables": {
    url: "/tuitionpayment/payableinfo/import",
    headings: importHeadings["tuition-payment/importPayables"] ?? [],
    row: (n) => [`s${n}`, "", "李四", "2026", "2026", "", "", "", "学费:1", 1],
  },
  "disease-command/importDetection": {
    url: "/disease-command/detectionStatistics/saveByExcel",
    headings: importHeadings["disease-command/importDetection"] ?? [],
    row: (n) => ["2026-05-01", `人群${n}`, 1, 0],
  },
  "disease-command/importFeverClinics": {
    url: "/disease-command/feverClinicOfHospitalStatistics/saveByExcel/2026-05-01",
    headings: importHeadings["disease-command/importFeverClinics"] ?? [],
    row: (n) => [`医院${n}`, 1, 0],
  },
};

let rows = 0;

const sendRow = ({ url, headings, row }: Import): Promise<Answer> =>
  app.call("POST", url, { token, file: ["rows.csv", `${headings.join(",")}\n${row(++rows).join(",")}\n`] });

const countWaiting = async (): Promise<number> =>
  Number(
    (
      await app.pool`
        select count(*) from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'`
    )[0]?.["count"],
  );

for (const [name, target] of Object.entries(imports))
  describe(name, () => {
    test("no transaction waits while the file is read", async (t) => {
      const [held, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      t.after(() => {
        setImportHook(undefined);
        opened.resolve();
      });
      setImportHook(() => {
        held.resolve();
        return opened.promise;
      });
      const sent = sendRow(target);
      await Promise.race([held.promise, sent]);
      // The count is repeated, because an idle transaction may belong to a job that is between two statements. A
      // transaction of the import would stay idle the whole time.
      await until("no transaction waits", async () => (await countWaiting()) === 0);
      opened.resolve();
      const { json } = await sent;
      assert.deepEqual([json.code, json.data], ["0", "1"], json.message);
    });

    test("whoever hangs up before the last byte leaves nothing behind", async () => {
      const clients = await Promise.all(
        Array.from({ length: 4 }, () => openSocket(app.url, beginUpload(target.url, { admin_token: token }))),
      );
      for (const { socket, ended } of clients) {
        socket.destroy();
        await ended;
      }
      const arriving = path.join(app.dataDir, "files", "arriving");
      for (const started = performance.now(); (await readdir(arriving)).length > 0;)
        assert.ok(performance.now() - started < 10_000, "nothing may be left of the uploads");
      assert.equal((await sendRow(target)).json.code, "0");
    });
  });
