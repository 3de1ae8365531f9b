import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { type Answer, startTestApp } from "#test/app.ts";
import { importHeadings } from "#test/attack/hostile-workbooks.ts";
import { beginUpload, openSocket } from "#test/attack/slow.ts";

// What is true of every import whose rows become records, while its file is read.

const app = await startTestApp({ settings: { DATABASE_POOL: "4" } });
const { token } = await app.signIn("platform");

interface Import {
  readonly url: string;
  readonly headings: readonly string[];
  /** A row that can be taken. */
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

/** A file of one row that takes a second to be found among a million that are empty. */
const makeSlowFile = ({ headings, row }: Import): Blob =>
  new Blob([
    `${headings.join(",")},x\n`,
    `${",".repeat(headings.length)}y\n`.repeat(600_000),
    `${row(++rows).join(",")}\n`,
  ]);

function send(target: Import, file: Blob): Promise<Answer> {
  const form = new FormData();
  form.append("file", file, "rows.csv");
  return app.call("POST", target.url, { token, raw: form });
}

/** How long the oldest transaction of the app has lasted of those that began since, in milliseconds; 0 without any. */
const measureOldest = async (since: string): Promise<number> =>
  Number(
    (
      await app.pool`
        select coalesce(max(extract(epoch from clock_timestamp() - xact_start)) * 1000, 0) as ms from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
          and xact_start > ${since}::timestamptz`
    )[0]?.["ms"],
  );

for (const [name, target] of Object.entries(imports))
  describe(name, () => {
    test("no transaction waits while the file is read", async () => {
      const over = new AbortController();
      // The program has transactions of its own, which a busy machine holds up too.
      const [{ since }] = await app.pool<[{ since: string }]>`select clock_timestamp()::text as since`;
      const sent = send(target, makeSlowFile(target)).finally(() => over.abort());
      const started = performance.now();
      let most = 0;
      while (!over.signal.aborted) most = Math.max(most, await measureOldest(since));
      const whole = performance.now() - started;
      const { json } = await sent;
      assert.deepEqual([json.code, json.data], ["0", "1"], json.message);
      // Of a file this slow to read, what is written is the least part; a machine that is busy slows both.
      assert.ok(most < whole / 2, `${most.toFixed()} ms of ${whole.toFixed()} ms`);
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
      while ((await readdir(arriving)).length > 0);
      assert.equal(
        (await send(target, new Blob([`${target.headings.join(",")}\n${target.row(++rows).join(",")}\n`]))).json.code,
        "0",
      );
    });
  });
