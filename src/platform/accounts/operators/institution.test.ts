import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSheetTail } from "#platform/workbooks/workbook-parts.ts";
import { startTestApp } from "#test/app.ts";
import { pngBytes } from "#test/disease-command.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1" } });
const operator = await app.signIn("platform");
const path = "/platform/institution";
const change = (body: object, token: string | undefined = operator.token) => app.call("PUT", path, { body, token });
const send = (file: readonly [string, string | Uint8Array], token = operator.token) =>
  app.call("POST", `${path}/picture`, { file, token });
const readPage = async (page: string, language = "zh"): Promise<{ html: string; policy: string }> => {
  const { text, headers } = await app.call("GET", page, {
    headers: { accept: "text/html", "accept-language": language },
  });
  return { html: text, policy: headers.get("content-security-policy") ?? "" };
};

test("only operators change it, to nothing that pages could not carry", async () => {
  const bursar = await app.signIn("tuition-payment");
  const refusals: [object, string | undefined, string][] = [
    [{ name: "江城大学" }, undefined, "10012"],
    [{ name: "江城大学" }, bursar.token, "10008"],
    [{ name: "长".repeat(61) }, operator.token, "10026"],
    [{ name: 7 }, operator.token, "10001"],
    [{ color: "red" }, operator.token, "10001"],
    [{ color: '#ff"><x' }, operator.token, "10001"],
    [{ logo: "nobody.png" }, operator.token, "10007"],
  ];
  for (const [body, token, code] of refusals)
    assert.equal((await app.call("PUT", path, { body, token })).json.code, code, JSON.stringify(body));
  assert.equal((await send(["logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>"])).json.code, "10030");
  assert.equal((await send(["logo.png", pngBytes], bursar.token)).json.code, "10008");
  assert.equal((await app.call("GET", `${path}/picture/nobody.png`)).json.code, "10005");
  const { json } = await app.call("GET", path, { token: bursar.token });
  assert.deepEqual(json.data, { name: "", nameEn: "", color: "", logo: "", seal: "" });
});

test("once it is set, pages, workbooks and notices carry it", async () => {
  const before = await readPage("/");
  assert.doesNotMatch(before.html, /江城/);
  const { imageName } = (await send(["logo.png", pngBytes])).json.data;
  assert.equal(
    (await change({ name: '江城 "A&B" 大学', nameEn: "River <U>", color: "#ffcc00", logo: imageName })).json.data,
    "1",
  );
  for (const page of [
    "/",
    "/developers",
    "/docs",
    "/nobody",
    "/h5/toilets/",
    "/h5/tuition/",
    "/tuitionpayment/simulated/NOBODY1",
    "/screen/",
    "/console/",
  ]) {
    const { html } = await readPage(page);
    assert.match(html, /江城 (?:"|&quot;|\\&quot;)A&amp;B/, page);
    assert.ok(html.includes(`/platform/institution/picture/${imageName}`), page);
  }
  const { html, policy } = await readPage("/h5/toilets/", "en");
  assert.match(html, /<title>Nearby toilets · River &lt;U&gt;<\/title>/);
  assert.match(html, /<style>@media screen\{:root\{--accent:#[\da-f]{6}/);
  assert.match(policy, /style-src 'self' 'sha256-/);
  assert.match(buildSheetTail([], 2), /<oddHeader>&amp;C江城 "A&amp;&amp;B" 大学<\/oddHeader>/);
  const picture = await app.call("GET", `${path}/picture/${imageName}`);
  assert.equal(picture.headers.get("content-type"), "image/png");
  const preview = await app.call("GET", "/platform/notice/preview", {
    query: { kind: "tuition-payment.due" },
    token: operator.token,
  });
  assert.match(preview.json.data.subject.zh, /^【江城 "A&B" 大学】/);
  assert.match(preview.json.data.subject.en, /^\[River <U>\] /);
});

test("what is left out stays, and what is cleared is gone", async () => {
  await change({ color: "" });
  const { html } = await readPage("/h5/toilets/");
  assert.match(html, /江城/);
  assert.doesNotMatch(html, /<style>/);
  await change({ name: "", nameEn: "", logo: "" });
  assert.doesNotMatch((await readPage("/h5/toilets/")).html, /江城|institution\/picture/);
  assert.equal(await app.pool.value`select count(*)::int from platform.upload_hold where service = 'platform'`, 0);
});
