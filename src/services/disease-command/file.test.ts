import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { pngBytes, upload } from "#test/disease-command.ts";

const app = await startTestApp({ services: ["disease-command"], settings: { MAX_UPLOAD_MB: "1" } });
const { token } = await app.signIn("disease-command");
const send = (bytes: Uint8Array | string, name: string) => upload(app, "/file/imageUpload", token, bytes, name);

describe("what is no image is refused, whatever it is called", () => {
  const refused: [string, Uint8Array | string, number][] = [
    ["a script", "<script>alert(1)</script>", 400],
    ["a page", "<!doctype html><script>alert(1)</script>", 400],
    ["svg, which holds scripts", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 400],
    ["a script behind the first letters of a gif", "GIF89a/*", 400],
    ["pdf", "%PDF-1.4\n%%EOF\n", 400],
    ["text", "hello", 400],
    ["nothing", "", 400],
    ["too much", Buffer.concat([pngBytes, Buffer.alloc(1024 * 1024)]), 413],
  ];
  for (const [what, bytes, status] of refused) {
    test(what, async () => {
      const answer = await send(bytes, "photo.png");
      assert.deepEqual([answer.status, answer.json.code], [status, "10030"]);
    });
  }

  test("and leaves nothing on the disk", async () => {
    const files = await readdir(path.join(app.dataDir, "files"), { recursive: true, withFileTypes: true });
    assert.deepEqual(
      files.filter((entry) => entry.isFile()),
      [],
    );
  });
});

test("an image gets a name and an address, which anyone may read", async () => {
  const { json } = await send(pngBytes, "湖 <1>.html");
  const { imageName, url } = json.data;
  assert.match(imageName, /^[0-9a-f]{32}\.png$/);
  assert.equal(url, `/disease-command/file/${imageName}`);
  const answer = await fetch(app.url + url);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), pngBytes);
  assert.deepEqual(
    ["content-type", "x-content-type-options"].map((name) => answer.headers.get(name)),
    ["image/png", "nosniff"],
  );
  assert.match(answer.headers.get("content-disposition") ?? "", /^inline; filename\*=UTF-8''/);
  const [line] = await app.pool`select records from platform.audit where action = 'uploadImage'`;
  assert.deepEqual(line?.["records"], [imageName]);
});

test("sent again with the same key it is kept once", async () => {
  const sendOnce = async () => {
    const raw = new FormData();
    raw.append("file", new Blob([pngBytes]), "a.png");
    return app.call("POST", "/disease-command/file/imageUpload", { token, raw, headers: { "idempotency-key": "k" } });
  };
  assert.deepEqual((await sendOnce()).json.data, (await sendOnce()).json.data);
});

test("what is not there is not found", async () => {
  for (const name of ["0123456789abcdef0123456789abcdef.png", "x", "..%2f..%2foperator-password", "arriving"])
    assert.equal((await app.call("GET", `/disease-command/file/${name}`)).json.code, "10005", name);
});
