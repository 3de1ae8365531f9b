import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { type Body, listModules, uploadImage } from "#test/disease-command.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");
const call = async (method: string, path: string, body?: unknown) =>
  (await app.call(method, `/disease-command/scenicSpotOverview${path}`, { token, body })).json;
const image = await uploadImage(app, token);
const sample = listModules(image, 1).find(({ name }) => name === "scenic spot")?.sample ?? (() => ({}));
const add = async (given: Body) => call("POST", "/add", { ...sample(1), ...given });

test("is found by its name, whatever that is", async () => {
  const names = [
    "虚构湖",
    "A/B 区",
    "100%",
    "%2F",
    "50%25",
    "a+b c",
    "?x=1&y=2#z",
    '"引号"',
    "it's",
    "..",
    "info",
    "湖 (北)",
    "\u202e倒",
    "👩‍👩‍👧‍👦",
    "长".repeat(255),
    " 前后 ",
    "\\",
    "<b>",
    "名\n行",
  ];
  for (const scenicSpotName of names) {
    const { data: id, message } = await add({ scenicSpotName });
    assert.ok(id, `${scenicSpotName} ${message}`);
    // Two dots are a step up in a path, encoded or not, before a request leaves: nobody can ask for them.
    if (scenicSpotName === "..") continue;
    const { data } = await call("GET", `/info/name/${encodeURIComponent(scenicSpotName)}`);
    assert.deepEqual([data?.id, data?.scenicSpotName], [Number(id), scenicSpotName]);
  }
  for (const name of ["虚构", "虚构湖 ", "%E8%99%9A", "A"])
    assert.equal((await call("GET", `/info/name/${encodeURIComponent(name)}`)).code, "10005", name);
});

test("a name that cannot be read is a wrong format", async () => {
  for (const [name, code] of [
    ["%", "10001"],
    ["%E8%99", "10001"],
    ["%zz", "10001"],
    ["%00", "10001"],
    ["%20", "10001"],
    [encodeURIComponent("长".repeat(256)), "10026"],
  ] as const)
    assert.equal((await call("GET", `/info/name/${name}`)).code, code, name);
});

test("has an image that was uploaded", async () => {
  for (const wrong of ["none.png", "../x", `/disease-command/file/${image}`, "<script>"])
    assert.equal((await add({ scenicSpotName: "无图", image: wrong })).code, "10007", wrong);
  assert.equal((await call("GET", `/info/name/${encodeURIComponent("无图")}`)).code, "10005");
});

test("has an address that a screen may open, or none", async () => {
  for (const urlOfVr of [
    "javascript:alert(1)",
    "data:text/html,x",
    "//evil.example",
    "vr",
    "https://a b",
    "ftp://x",
    5,
  ])
    assert.equal((await add({ scenicSpotName: "VR", urlOfVr })).code, "10001", String(urlOfVr));
  for (const [urlOfVr, read] of [
    ["HTTPS://vr.example/?a=1#b", "HTTPS://vr.example/?a=1#b"],
    ["/vr/1.html", "/vr/1.html"],
    ["", null],
    [null, null],
  ]) {
    const { data: id } = await add({ scenicSpotName: `VR ${String(urlOfVr)}`, urlOfVr });
    assert.equal((await call("GET", `/info/id/${id}`)).data.urlOfVr, read);
  }
});

test("loses the address that an update empties, and keeps the one that it leaves out", async () => {
  const { data: id } = await add({ scenicSpotName: "VR 换", urlOfVr: "/vr/2.html" });
  const change = async (body: object) => {
    assert.equal((await call("PUT", "/update", { id: Number(id), ...body })).data, "1");
    return (await call("GET", `/info/id/${id}`)).data.urlOfVr;
  };
  assert.equal(await change({ responsibler: "乙" }), "/vr/2.html");
  assert.equal(await change({ urlOfVr: "" }), null);
});
