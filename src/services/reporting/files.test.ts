import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, test } from "node:test";
import { pino } from "pino";
import { writeWorkbook } from "#platform/workbooks/index.ts";
import { removalTasks } from "#quintet/removal.ts";
import { openPlatform } from "#quintet/serve.ts";
import { readSettings } from "#quintet/settings.ts";
import { type Answer, getData, startTestApp } from "#test/app.ts";
import { pngBytes as png } from "#test/disease-command.ts";
import { sampleReport } from "#test/sample-report.ts";

const app = await startTestApp({ services: ["reporting"], settings: { MAX_UPLOAD_MB: "1" } });
const { pool } = app;
const { token } = await app.signIn("reporting");
const filesFolder = path.join(app.dataDir, "files");

const gif = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64");
const pdf = Buffer.from("%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n");
const xlsx = await buffer(writeWorkbook({ sheetName: "s", columns: [{ header: "h" }], rows: [[["v"]]] }));
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

type Part = readonly [name: string, bytes: Buffer | string, fileName?: string];

function send(parts: readonly Part[], headers: Record<string, string> = {}): Promise<Answer> {
  const form = new FormData();
  for (const [name, bytes, fileName] of parts) {
    if (fileName === undefined) form.append(name, String(bytes));
    else form.append(name, new Blob([bytes as never]), fileName);
  }
  return app.call("POST", "/reporting/file/fileUpDown", { raw: form, headers });
}

async function upload(bytes: Buffer | string, fileName: string): Promise<string> {
  return getData(await send([["file", bytes, fileName]]));
}

const listFiles = async (): Promise<string[]> =>
  (await readdir(filesFolder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
const keep = async (): Promise<void> => {
  const platform = await openPlatform(readSettings({ DATA_DIR: app.dataDir }), pool, pino({ level: "silent" }));
  for (const run of Object.values(removalTasks(platform).tasks)) await run();
};
const readUsage = async (): Promise<number> =>
  (await pool`select bytes from platform.upload_usage where service = 'reporting'`)[0]?.["bytes"] ?? 0;

describe("what is taken", () => {
  const taken: [string, Buffer | string, string, string, string][] = [
    ["a png, whatever it is called", png, "../../etc/图 '(1)*.html", "image/png", "inline"],
    ["a pdf", pdf, "a.pdf", "application/pdf", "attachment"],
    ["a workbook", xlsx, "a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "attachment"],
    ["a megabyte to the byte", "x".repeat(1024 * 1024), "a.txt", "text/plain; charset=utf-8", "attachment"],
  ];
  for (const [what, bytes, name, mime, shown] of taken) {
    test(what, async () => {
      const place = await upload(bytes, name);
      assert.match(place, /^\/reporting\/file\/[0-9a-f]{32}\.[a-z]+$/);
      const response = await fetch(app.url + place, { headers: { admin_token: token } });
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from(bytes as never));
      const headers = Object.fromEntries(
        ["content-type", "x-content-type-options"].map((key) => [key, response.headers.get(key)]),
      );
      assert.deepEqual(headers, { "content-type": mime, "x-content-type-options": "nosniff" });
      assert.match(
        response.headers.get("content-disposition") ?? "",
        new RegExp(`^${shown}; filename\\*=UTF-8''[^/'"]+$`),
      );
      const head = await app.call("HEAD", place, { token });
      assert.deepEqual(
        [head.status, head.headers.get("content-length"), head.text],
        [200, String(Buffer.byteLength(bytes as never)), ""],
      );
    });
  }
});

describe("who sees it", async () => {
  const place = await upload(png, "a.png");
  const report = await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport({ file: place }) });
  const other = await app.call("POST", "/reporting/informationReporting/add", { body: sampleReport() });
  const [receipt, foreign] = [report, other].map(({ headers }) => headers.get("report_receipt"));
  const judge = (verdict: string) =>
    app.call("DELETE", `/reporting/informationReporting/${verdict}`, {
      token,
      body: { itemId: Number(report.json.data) },
    });
  const see = async (query = "", headers: Record<string, string> = {}): Promise<number> =>
    (await app.call("GET", place + query, { headers })).status;
  const { userName, password } = await app.signIn("reporting");
  const login = await app.call("POST", "/reporting/user/login", { body: { userName, password } });
  const [cookie = ""] = login.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");

  test("until it is judged, administrators and whoever has the receipt, and nobody whom its sender gives the link", async () => {
    const { token: elsewhere } = await app.signIn("platform", { services: [] });
    assert.deepEqual(
      await Promise.all([
        see(),
        see("", { cookie }),
        see("", { admin_token: token }),
        see(`?receipt=${receipt}`),
        see(`?receipt=${foreign}`),
        see("?receipt=x"),
        see("", { admin_token: "x", cookie: `${cookie}x` }),
        see("", { admin_token: elsewhere }),
      ]),
      [404, 200, 200, 200, 404, 404, 404, 404],
    );
  });

  test("found valid, everybody, until another verdict; found invalid, as before", async () => {
    const seen: number[] = [];
    for (const verdict of ["invalid", "valid", "invalid"]) {
      assert.equal((await judge(verdict)).json.code, "0");
      seen.push(await see());
    }
    assert.deepEqual([...seen, await see(`?receipt=${receipt}`)], [404, 200, 404, 200]);
  });

  test("everybody, where UNDOCUMENTED_AUTH leaves the service open for old pages", async () => {
    const settings = { UNDOCUMENTED_AUTH: "open:reporting" };
    const open = await startTestApp({ services: ["reporting"], settings, beside: app });
    const { json } = await open.call("POST", "/reporting/file/fileUpDown", { file: ["a.png", png] });
    assert.equal((await open.call("GET", json.data)).status, 200);
  });
});

describe("what is refused", () => {
  const raw = (body: string, type = "multipart/form-data; boundary=x") =>
    app.call("POST", "/reporting/file/fileUpDown", { raw: body, headers: { "content-type": type } });
  const begin = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc';
  const refused: [string, () => Promise<Answer>, number][] = [
    ["svg", () => send([["file", svg, "a.png"]]), 400],
    ["no file", () => send([["name", "x"]]), 400],
    [
      "two files",
      () =>
        send([
          ["file", png, "a.png"],
          ["file", png, "b.png"],
        ]),
      400,
    ],
    ["multipart that is cut off", () => raw(begin), 400],
    ["a byte too much", () => send([["file", "x".repeat(1024 * 1024 + 1), "a.txt"]]), 413],
  ];
  for (const [what, attempt, status] of refused) {
    test(what, async () => {
      const [files, used] = [await listFiles(), await readUsage()];
      const answer = await attempt();
      assert.deepEqual([answer.status, answer.json.code, answer.json.data], [status, "10030", null], answer.text);
      assert.deepEqual([await listFiles(), await readUsage()], [files, used]);
    });
  }

  test("a refused upload leaves its connection usable", async () => {
    // The bodies are too large to be buffered entirely before the server refuses them.
    for (let round = 0; round < 3; round++)
      assert.equal((await send([["picture", "x".repeat(900 * 1024), "a.txt"]])).json.code, "10030");
    assert.equal((await app.call("GET", "/reporting/user/publicKey")).json.code, "0");
  });
});

test("nothing is served but uploads of this service", async () => {
  const [, name = ""] = /file\/(.*)/.exec(await upload(png, "a.png")) ?? [];
  await pool`insert into platform.upload (name, service, mime, image, bytes, original_name) values ('0123456789abcdef0123456789abcdef.png', 'disease-command', 'image/png', true, 0, 'x')`;
  for (const other of [
    "0123456789abcdef0123456789abcdef.png",
    name.toUpperCase(),
    `${name}x`,
    "..%2f..%2foperator-password",
    "arriving",
  ]) {
    const { status, json } = await app.call("GET", `/reporting/file/${other}`, { token });
    assert.deepEqual([status, json.code], [404, "10005"], other);
  }
});

test("after a day what no report names is gone, the rest stays, and the room is free again", async () => {
  const [unclaimed, young, ...claimed] = [
    await upload(pdf, "a.pdf"),
    await upload(pdf, "b.pdf"),
    await upload(png, "c.png"),
    await upload(gif, "d.gif"),
  ];
  const [file, other] = claimed;
  const body = sampleReport({
    file,
    bFile: [`https://old.example/base${other}?x=1`, "/reporting/file/none.png", "free text"],
  });
  assert.equal((await app.call("POST", "/reporting/informationReporting/add", { body })).json.code, "0");
  await pool`update platform.upload set created_at = now() - interval '24 hours 1 second' where name <> ${young.slice("/reporting/file/".length)}`;
  await keep();
  const statuses = await Promise.all(
    [unclaimed, young, file, other].map(async (place) => (await app.call("GET", place, { token })).status),
  );
  assert.deepEqual(statuses, [404, 200, 200, 200]);
  const [row] =
    await pool`select coalesce(sum(bytes), 0)::bigint as bytes from platform.upload where service = 'reporting'`;
  assert.equal(await readUsage(), row?.["bytes"]);
});
