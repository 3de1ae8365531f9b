import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { inTransaction, isConnectionLoss, openPool } from "#platform/database/index.ts";
import { referenceUploads, releaseUnclaimedUploads, storeUpload } from "#platform/files/upload.ts";
import { removalTasks } from "#quintet/removal.ts";
import { openPlatform } from "#quintet/serve.ts";
import { readSettings } from "#quintet/settings.ts";
import { type Answer, getData, startTestApp } from "#test/app.ts";
import { headOf, openSocket, type SlowClient } from "#test/attack/slow.ts";
import { listModules, pngBytes as png } from "#test/disease-command.ts";
import { startFront } from "#test/front.ts";
import { sampleReport } from "#test/sample-report.ts";

const gigabyte = 1024 ** 3;
const app = await startTestApp({
  settings: { UPLOAD_QUOTA_GB: "4", UPLOAD_SERVICE_QUOTA_GB: "3", DISK_RESERVE_MB: "16" },
});
const { pool } = app;
const { token } = await app.signIn("platform");
const filesFolder = path.join(app.dataDir, "files");

const send = (path: string, bytes: Uint8Array, headers: Record<string, string> = {}): Promise<Answer> =>
  app.call("POST", path, { file: ["a.png", bytes], headers, token });
const attach = async (): Promise<string> => (await send("/reporting/file/fileUpDown", png)).json.data;
const uploadImage = async (): Promise<string> =>
  (await send("/disease-command/file/imageUpload", png)).json.data.imageName;
const call = async (method: string, path: string, body: unknown) =>
  getData(await app.call(method, path, { token, body }));
const report = (files: readonly string[]): Promise<string> =>
  call("POST", "/reporting/informationReporting/add", sampleReport({ bFile: files }));
const statusOf = async (place: string): Promise<number> => (await app.call("GET", place, { token })).status;
const statusOfImage = (name: string): Promise<number> => statusOf(`/disease-command/file/${name}`);

const readUsed = async (service: string): Promise<number> =>
  (await pool`select bytes from platform.upload_usage where service = ${service}`)[0]?.["bytes"] ?? 0;
const pretendUsed = async (service: string, bytes: number): Promise<void> => {
  await pool`insert into platform.upload_usage (service, bytes) values (${service}, ${bytes})
    on conflict (service) do update set bytes = excluded.bytes`;
};
const listStored = async (): Promise<string[]> =>
  (await readdir(filesFolder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

const moduleOf = (name: string, image: string) => {
  const found = listModules(image, 0).find((module) => module.name === name);
  assert.ok(found);
  return found;
};
const save = (name: string, image: string): Promise<string> =>
  call("POST", `/disease-command${moduleOf(name, image).save}`, moduleOf(name, image).sample(1));

async function untilGone(...places: string[]): Promise<void> {
  const names = places.map((place) => path.basename(place));
  while ((await listStored()).some((stored) => names.includes(stored)));
}

async function keepHouse(hours = 0): Promise<void> {
  await pool`update platform.upload set remove_at = remove_at - make_interval(hours => ${hours})`;
  const platform = await openPlatform(readSettings({ DATA_DIR: app.dataDir }), pool, pino({ level: "silent" }));
  for (const run of Object.values(removalTasks(platform).tasks)) await run();
}

describe("what no record holds any more is gone", () => {
  test("when a report is deleted", async () => {
    const used = await readUsed("reporting");
    const files = [await attach(), await attach()];
    const id = await report(files);
    assert.deepEqual(await Promise.all(files.map(statusOf)), [200, 200]);
    await call("DELETE", "/reporting/informationReporting/delete", { ids: [Number(id)] });
    assert.deepEqual(await Promise.all(files.map(statusOf)), [404, 404]);
    await untilGone(...files);
    while ((await readUsed("reporting")) !== used);
  });

  test("but not what another report names too", async () => {
    const file = await attach();
    const [one, other] = [await report([file]), await report([file])];
    await call("DELETE", "/reporting/informationReporting/delete", { ids: [Number(one)] });
    assert.equal(await statusOf(file), 200);
    await call("DELETE", "/reporting/informationReporting/delete", { ids: [Number(other)] });
    assert.equal(await statusOf(file), 404);
  });

  test("when a record names another file, or none", async () => {
    const [first, second] = [await uploadImage(), await uploadImage()];
    const id = Number(await save("broadcast", first));
    const change = (body: object) => call("POST", "/disease-command/broadcast/record/update", { id, ...body });
    await change({ extraFile: second });
    assert.deepEqual([await statusOfImage(first), await statusOfImage(second)], [404, 200]);
    await change({ title: "另一个" });
    assert.equal(await statusOfImage(second), 200);
    await change({ extraFile: "" });
    assert.equal(await statusOfImage(second), 404);
    await change({ extraFile: first });
    assert.equal(await statusOfImage(first), 200, "it may be named again for a day");
    await keepHouse(25);
    await untilGone(second);
    assert.equal(await statusOfImage(first), 200);
  });

  test("when a record is deleted", async () => {
    for (const name of ["broadcast", "summary", "scenic spot"]) {
      const image = await uploadImage();
      const id = Number(await save(name, image));
      await call("DELETE", `/disease-command${moduleOf(name, image).remove}`, [id]);
      assert.equal(await statusOfImage(image), 404, name);
      const used = await readUsed("disease-command");
      await keepHouse(25);
      await untilGone(image);
      assert.equal(await readUsed("disease-command"), used - png.length);
    }
  });

  test("also when a record names it only after it has been given up", async () => {
    const name = path.basename(await attach());
    await pool`update platform.upload set created_at = now() - interval '25 hours' where name = ${name}`;
    const held = await inTransaction(pool, async (tx) => {
      await tx`select now()`;
      await releaseUnclaimedUploads(pool);
      return referenceUploads(tx, { service: "reporting", record: "report/0" }, [name]);
    });
    assert.deepEqual(held, []);
    await keepHouse();
    assert.ok(!(await listStored()).includes(name));
  });

  test("and a write that is undone changes nothing", async () => {
    const image = await uploadImage();
    const id = Number(await save("broadcast", image));
    const body = { id, extraFile: "none.png" };
    const { json } = await app.call("POST", "/disease-command/broadcast/record/update", { token, body });
    assert.equal(json.code, "10007");
    assert.equal(await statusOfImage(image), 200);
  });
});

describe("room", () => {
  test("is bounded for each service, so that the others go on", async () => {
    const used = await readUsed("reporting");
    await pretendUsed("reporting", 3 * gigabyte - 1);
    assert.equal((await send("/reporting/file/fileUpDown", png)).json.code, "10007");
    assert.equal((await send("/disease-command/file/imageUpload", png)).json.code, "0");
    await pretendUsed("reporting", used);
  });

  test("is bounded for all together", async () => {
    const used = await readUsed("reporting");
    await pretendUsed("attendance", 2 * gigabyte);
    await pretendUsed("reporting", 2 * gigabyte - 1);
    assert.equal((await send("/reporting/file/fileUpDown", png)).json.code, "10007");
    assert.equal((await send("/disease-command/file/imageUpload", png)).json.code, "10007");
    await pretendUsed("attendance", 0);
    await pretendUsed("reporting", used);
  });

  const begin = async (): Promise<SlowClient> => {
    const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
    const client = await openSocket(
      app.url,
      headOf("POST", "/reporting/file/fileUpDown", {
        "content-type": "multipart/form-data; boundary=x",
        "content-length": 2 ** 20 + head.length + 1,
      }),
    );
    client.socket.write(head + "x".repeat(2 ** 20));
    return client;
  };

  test("is taken by what is arriving, too", { timeout: 20_000 }, async () => {
    const used = await readUsed("reporting");
    await pretendUsed("reporting", 3 * gigabyte - 3 * 2 ** 20);
    const clients = await Promise.all(Array.from({ length: 8 }, begin));
    const listRefused = () => clients.map(({ told }) => told()).filter((text) => text !== "");
    while (listRefused().length < 5) await setImmediate();
    assert.ok(listRefused().every((text) => text.includes('"code":"10007"')));
    for (const { socket } of clients) socket.destroy();
    await pretendUsed("reporting", used);
  });

  test("is kept for the database: uploads and imports are refused, and it is told", async () => {
    const full = await startTestApp({ beside: app, settings: { DISK_RESERVE_MB: "100000000" } });
    const imports = ["/tuitionpayment/payableinfo/import", "/attendance/month/importExcel"];
    for (const url of ["/reporting/file/fileUpDown", ...imports]) {
      const { status, json } = await full.call("POST", url, { file: ["a.png", png], token });
      assert.deepEqual([status, json.code], [400, "10007"], url);
      assert.match(json.message, /磁盘/);
    }
    const ready = await full.call("GET", "/readyz");
    assert.deepEqual([ready.status, ready.json.ready, ready.json.parts.room], [200, true, false]);
    const health = (await full.call("GET", "/platform/health", { token })).json.data;
    const files = health.parts.find(({ name }: { name: string }) => name === "files");
    assert.deepEqual([files.state, files.figures.refusesUploads], ["failed", true]);
    assert.equal(
      (await full.call("POST", "/reporting/informationReporting/add", { body: sampleReport({}) })).json.code,
      "0",
    );
    assert.equal((await app.call("GET", "/readyz")).json.parts.room, true);
  });
});

describe("a file whose row may be there", () => {
  test("is not deleted when the answer to its COMMIT is lost", async () => {
    const settings = readSettings({ DATA_DIR: app.dataDir });
    const { files, temporaryFiles } = await openPlatform(settings, pool, pino({ level: "silent" }));
    const arrival = await temporaryFiles.begin("reporting");
    await writeFile(arrival.path, png);
    const front = await startFront(app.database.url);
    const lossy = openPool(front.url, {
      connections: 1,
      onStatement: (text) => text === "commit" && front.keepAnswers(),
    });
    const countKept = async () => (await pool`select from platform.upload`).length;
    const before = await countKept();
    const sha256 = createHash("sha256").update(png).digest();
    const file = { path: arrival.path, originalName: "a.png", bytes: png.length, sha256 };
    const options = { service: "reporting", imagesOnly: false, settings };
    const kept = storeUpload(lossy, files, file, { ...options, once: (_tx, create) => create() });
    const failed = assert.rejects(kept, isConnectionLoss);
    while ((await countKept()) === before);
    await front.stop();
    await failed;
    await lossy.end();
    const [row] =
      await pool`select name from platform.upload where service = 'reporting' order by created_at desc limit 1`;
    assert.equal(await statusOf(`/reporting/file/${row?.["name"]}`), 200);
  });

  test("is looked for by the housekeeping: what has none goes, once nobody can be writing its row", async () => {
    const known = path.basename(await attach());
    const [old, fresh] = ["a", "b"].map((letter) => `${known.slice(0, 2)}${letter.repeat(30)}.png`) as [string, string];
    const placeOf = (name: string) => path.join(filesFolder, known.slice(0, 2), name);
    for (const name of [old, fresh]) await writeFile(placeOf(name), "x");
    const before = new Date(Date.now() - 2 * 3_600_000);
    for (const name of [old, known]) await utimes(placeOf(name), before, before);
    await keepHouse();
    const left = await listStored();
    assert.deepEqual([left.includes(old), left.includes(fresh), left.includes(known)], [false, true, true]);
  });
});
