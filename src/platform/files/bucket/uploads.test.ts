import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { after, describe, test } from "node:test";
import { pino } from "pino";
import { removalTasks } from "#quintet/removal.ts";
import { openPlatform } from "#quintet/serve.ts";
import { readSettings } from "#quintet/settings.ts";
import { startTestApp } from "#test/app.ts";
import { sampleReport } from "#test/sample-report.ts";
import { s3Bucket, s3Keys, startS3 } from "#test/stand-ins/s3.ts";

const store = await startS3();
after(() => store.close());
const { books } = store;
const settings = {
  FILES_URL: `s3://${s3Bucket}/city`,
  FILES_ENDPOINT: store.endpoint,
  FILES_REGION: s3Keys.region,
  FILES_ACCESS_KEY: s3Keys.accessKey,
  FILES_SECRET_KEY: s3Keys.secretKey,
  FILES_TIMEOUT_SECONDS: "1",
};
const app = await startTestApp({ settings });
const { token } = await app.signIn("platform");
const pdf = (bytes: number): Buffer => Buffer.concat([Buffer.from("%PDF-1.7\n"), randomBytes(bytes)]);

const send = (content: Uint8Array) => app.call("POST", "/reporting/file/fileUpDown", { file: ["a.pdf", content] });
const upload = async (content: Uint8Array): Promise<string> => (await send(content)).json.data;
const download = async (place: string): Promise<Buffer> =>
  Buffer.from(await (await fetch(app.url + place, { headers: { admin_token: token } })).arrayBuffer());
const countRows = async (): Promise<number> => (await app.pool`select from platform.upload`).length;
const listLocal = async (): Promise<string[]> =>
  (await readdir(path.join(app.dataDir, "files"), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const keepHouse = async (): Promise<void> => {
  const ours = readSettings({ DATA_DIR: app.dataDir, ...settings });
  const platform = await openPlatform(ours, app.pool, pino({ level: "silent" }));
  for (const run of Object.values(removalTasks(platform).tasks)) await run();
};
const readFilesPart = async () =>
  (await app.call("GET", "/platform/health", { token })).json.data.parts.find(
    ({ name }: { name: string }) => name === "files",
  );

describe("uploads in a bucket", () => {
  test("come back as they went in, small and large, and nothing stays on the disk", async () => {
    for (const content of [pdf(1000), pdf(9 * 1024 ** 2)]) {
      const place = await upload(content);
      assert.ok([...books.objects.keys()].every((key) => /^city\/([0-9a-f]{2})\/\1[0-9a-f]{30}\.pdf$/.test(key)));
      assert.ok(content.equals(await download(place)));
      const head = await fetch(app.url + place, { method: "HEAD", headers: { admin_token: token } });
      assert.deepEqual([head.status, head.headers.get("content-length")], [200, String(content.length)]);
    }
    assert.deepEqual(await listLocal(), []);
  });

  test("are 20004 while the store fails, leave no row, and go through afterwards", async () => {
    const before = await countRows();
    const place = await upload(pdf(1000));
    books.isGone = true;
    const refused = [await send(pdf(1000)), await app.call("GET", place, { token }), await send(pdf(9 * 1024 ** 2))];
    for (const { status, json } of refused) assert.deepEqual([status, json.code, json.data], [502, "20004", null]);
    assert.equal((await fetch(app.url + place, { method: "HEAD", headers: { admin_token: token } })).status, 502);
    books.isGone = false;
    assert.ok(app.logged.some(({ why }) => why === "file store: status 404 NoSuchBucket"));
    assert.equal(await countRows(), before + 1);
    assert.deepEqual(await listLocal(), []);
    assert.equal((await app.call("GET", place, { token })).status, 200);
    assert.equal((await send(pdf(1000))).json.code, "0");
  });

  test("are 20004 in bounded time when the store only listens; everything else goes on", async () => {
    store.fail("silent", { when: /^PUT/ });
    const { status, json } = await send(pdf(1000));
    assert.deepEqual([status, json.code], [502, "20004"]);
    const report = await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport({}) });
    assert.equal(report.json.code, "0");
  });

  test("that a client sees cut off are not answered as whole", async () => {
    const place = await upload(pdf(300_000));
    store.fail({ breakOffAfter: 250_000 }, { when: new RegExp(`^GET .*${path.basename(place)}`) });
    await assert.rejects(download(place));
  });
});

test("the housekeeping removes what no row names and what was released; while the store fails it loses nothing", async () => {
  const [released, kept] = [await upload(pdf(1000)), await upload(pdf(1000))].map((place) => path.basename(place));
  const keyOf = (name = ""): string => `city/${name.slice(0, 2)}/${name}`;
  const lost = keyOf(`${"f".repeat(32)}.pdf`);
  const old = new Date(Date.now() - 7_200_000);
  books.objects.set(lost, { body: Buffer.from("x"), etag: '"x"', sha256: undefined, modified: old });
  for (const object of books.objects.values()) object.modified = old;
  await app.pool`update platform.upload set remove_at = now() where name = ${released ?? ""}`;
  books.isGone = true;
  await assert.rejects(keepHouse(), /outsideFailed/);
  assert.equal((await app.pool`select from platform.upload where name = ${released ?? ""}`).length, 1);
  books.isGone = false;
  await keepHouse();
  assert.deepEqual(
    [keyOf(released), keyOf(kept), lost].map((key) => books.objects.has(key)),
    [false, true, false],
  );
  assert.equal((await app.pool`select from platform.upload where name = ${released ?? ""}`).length, 0);
});

test("health and readiness say whether the store answers; no key is shown or logged", async () => {
  assert.deepEqual(
    await readFilesPart().then(({ state, figures }) => [state, figures.inBucket, figures.storeAnswers]),
    ["ok", true, true],
  );
  books.isGone = true;
  let ready = await app.call("GET", "/readyz");
  while (ready.json.parts.room) ready = await app.call("GET", "/readyz");
  assert.deepEqual([ready.status, ready.json.ready], [200, true]);
  const part = await readFilesPart();
  assert.deepEqual([part.state, part.figures.storeAnswers, part.figures.refusesUploads], ["failed", false, true]);
  books.isGone = false;
  const shown = (await app.call("GET", "/platform/settings", { token })).text + JSON.stringify(app.logged);
  assert.ok(!shown.includes(s3Keys.secretKey) && !shown.includes(s3Keys.accessKey));
});

test("half a setting, sign-in data in the address, and plain http to another machine stop the start", () => {
  for (const name of ["FILES_URL", "FILES_ENDPOINT", "FILES_ACCESS_KEY", "FILES_SECRET_KEY"])
    assert.throws(() => readSettings({ ...settings, [name]: "" }), new RegExp(`${name}: is required with`));
  const remote = { ...settings, FILES_ENDPOINT: "http://s3.example.edu" };
  assert.throws(() => readSettings(remote), /FILES_ENDPOINT: must use https for another machine/);
  readSettings({ ...remote, FILES_PLAIN_HTTP: "allowed" });
  readSettings({ ...settings, FILES_ENDPOINT: "https://s3.example.edu/" });
  for (const url of ["s3://key:secret@bucket", "https://bucket", "s3://", "s3://bucket/../x", "s3://bucket/a?b=c"])
    assert.throws(() => readSettings({ ...settings, FILES_URL: url }), /FILES_URL: must be s3:\/\/bucket/);
  for (const endpoint of ["https://k:s@s3.example.edu", "https://s3.example.edu/path", "s3.example.edu"])
    assert.throws(
      () => readSettings({ ...settings, FILES_ENDPOINT: endpoint }),
      /FILES_ENDPOINT: must be an http or https address/,
    );
});
