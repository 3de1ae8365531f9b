import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findViolations } from "#test/architecture/rules.ts";
import { type CallOptions, send } from "#test/call.ts";
import { logIn, startCommand, startServerProcess } from "#test/crash/server.ts";
import { createTestDatabase } from "#test/database.ts";
import { copyProject } from "#test/planted.ts";

// A sixth service needs its folder, its two lines in app.ts and its migration. The test adds them to a copy of the
// project, which must then start without another change.

const here = fileURLToPath(new URL("./", import.meta.url));
const copy = await mkdtemp(path.join(tmpdir(), "quintet-sixth-"));
after(() => rm(copy, { recursive: true, force: true }));
const program = path.join(copy, "src", "main.ts");

await copyProject(copy);
await cp(path.join(here, "library"), path.join(copy, "src", "services", "library"), { recursive: true });
await cp(path.join(here, "9000_library.sql"), path.join(copy, "migrations", "9000_library.sql"));
const app = path.join(copy, "src", "app.ts");
const listed = (await readFile(app, "utf8"))
  .replace(/^import \{ tuitionPaymentModule .*$/m, '$&\nimport { libraryModule } from "#services/library/index.ts";')
  .replace(/^ {2}diseaseCommandModule,$/m, "$&\n  libraryModule,");
await writeFile(app, listed);
const { url, pool, closers } = await createTestDatabase();
const dataDir = path.join(copy, "data");
await mkdir(dataDir);
const settings = {
  DATABASE_URL: url,
  LIBRARY_DESK_KEY: "key-of-the-desk",
  UNDOCUMENTED_AUTH: "open:library",
};
const server = await startServerProcess(dataDir, settings, [], program);
closers.push(() => server.kill());

const call = async (method: string, address: string, options: CallOptions = {}) =>
  (await send(server.address, method, address, options)).json;
const token = await logIn(server.address);

test("its files keep the rules of the house", async () => {
  const names = await readdir(path.join(here, "library"));
  const files = names.map(async (name) => ({
    path: `src/services/library/${name}`,
    source: await readFile(path.join(here, "library", name), "utf8"),
  }));
  assert.ok(names.length >= 5);
  assert.deepEqual(findViolations(await Promise.all(files)), []);
});

test("the start names it and says what it says of itself", () => {
  const { out } = server.output();
  assert.match(out, /^ {2}services .*, disease-command, library$/m);
  assert.match(out, /^ {2}readers +may keep a book for 30 days$/m);
  assert.match(out, /^ {2}OPEN TO ANYONE .* of library without/m);
});

test("it serves, on a table that its migration made, and what breaks a constraint is told by its problem", async () => {
  const save = (title: string) => call("POST", "/library/book/save", { token, body: { title } });
  assert.equal((await call("POST", "/library/book/save", { body: { title: "x" } })).code, "10012");
  assert.equal((await save("山海样本")).code, "0");
  assert.equal((await save("山海样本")).code, "10004");
  const { data } = await call("GET", "/library/book/list");
  assert.deepEqual(data, [{ id: data[0].id, title: "山海样本", reader: null }]);
  const [line] = await pool`select service, action from platform.audit where service = 'library'`;
  assert.deepEqual({ ...line }, { service: "library", action: "saveBook" });
});

test("its guests are known by what it says of them, and are counted", async () => {
  const [book] = (await call("GET", "/library/book/list")).data;
  const borrow = (headers: Record<string, string>) => call("POST", `/library/book/${book.id}/borrow`, { headers });
  const reader = { reader_number: "7", reader_key: "key-of-the-desk" };
  assert.equal((await borrow({})).code, "10012");
  assert.equal((await borrow({ ...reader, reader_key: "another" })).code, "10006");
  assert.equal((await borrow(reader)).code, "0");
  assert.equal((await borrow(reader)).code, "10005");
  assert.equal((await borrow(reader)).code, "20001");
  assert.equal((await call("GET", "/library/book/list")).data[0].reader, "7");
});

test("it is described: by itself, among all, and in the reference", async () => {
  const fetchText = async (address: string) => (await send(server.address, "GET", address)).text;
  const own = JSON.parse(await fetchText("/openapi/library.json"));
  assert.deepEqual(Object.keys(own.paths), ["/library/book/list", "/library/book/save", "/library/book/{id}/borrow"]);
  const { paths, components } = JSON.parse(await fetchText("/openapi.json"));
  assert.equal(
    paths["/library/book/{id}/borrow"].post.description,
    "For readers, identified by their number. The number of calls per reader is limited.",
  );
  assert.deepEqual(components.securitySchemes.reader_key.in, "header");
  assert.match(await fetchText("/docs"), /openapi\/library\.json/);
  assert.match(await fetchText("/developers"), /<li class="library">/);
});

test("operators run it, see how it does, how it is set, and what was done there", async () => {
  const readAs = async (address: string) => (await call("GET", address, { token })).data;
  assert.equal((await readAs("/platform/session/own")).services.at(-1), "library");
  const { parts } = await readAs("/platform/health");
  assert.deepEqual(parts.at(-1), {
    service: "library",
    name: "library",
    title: { zh: "图书借阅", en: "Library" },
    state: "ok",
    figures: { books: 1 },
  });
  const shown = (await readAs("/platform/settings")).filter(({ key }: { key: string }) => key.startsWith("LIBRARY_"));
  assert.deepEqual(
    shown.map(({ key, value }: { key: string; value: string }) => `${key} ${value}`),
    ["LIBRARY_DESK_KEY set", "LIBRARY_LOAN_DAYS 30"],
  );
  assert.equal((await readAs("/platform/audit?service=library")).totalCount, 1);
  const clerk = { userName: "clerk", password: "clerk-of-tests-1", services: ["library"] };
  assert.equal((await call("POST", "/platform/operator/save", { token, body: clerk })).code, "0");
  const { list } = await readAs("/platform/operator/list?userName=clerk");
  assert.deepEqual(list[0].services, ["library"]);
  const other = { ...clerk, userName: "other", services: ["cinema"] };
  assert.equal((await call("POST", "/platform/operator/save", { token, body: other })).code, "10001");
});

test("its settings stop a start as the platform's do", async () => {
  const start = async (given: Readonly<Record<string, string>>) => {
    const command = startCommand(["serve"], { DATA_DIR: dataDir, DATABASE_URL: url, ...given }, copy, program);
    const { code } = await command.ended;
    return { code, err: command.output().err };
  };
  const [wrong, missing] = await Promise.all([
    start({ LIBRARY_LOAN_DAYS: "0", PORT: "x" }),
    start({ NODE_ENV: "production", STUDENT_IDENTITY: "header" }),
  ]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /PORT: must[^]*LIBRARY_LOAN_DAYS: must be a whole number from 1 to 365/);
  assert.equal(missing.code, 2);
  assert.match(missing.err, /LIBRARY_DESK_KEY: is needed where/);
});
