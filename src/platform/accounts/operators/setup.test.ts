import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";

const app = await startTestApp({ settings: { PUBLIC_URL: "https://quintet.example.edu" } });
const operator = await app.signIn("platform");

const put = (body: object, token: string | undefined) => app.call("PUT", "/platform/setup", { body, token });
const readState = async (id: string): Promise<string> => {
  const { json } = await app.call("GET", "/platform/setup", { token: operator.token });
  return json.data.find((item: { id: string }) => item.id === id).state;
};
const readHealth = async () => {
  const { json } = await app.call("GET", "/platform/health", { token: operator.token });
  return json.data.parts.find(({ name }: { name: string }) => name === "setup");
};

test("health asks for what is neither done nor put aside", async () => {
  const bursar = await app.signIn("tuition-payment");
  const body = { id: "platform.backup", aside: false };
  assert.equal((await put(body, undefined)).json.code, "10012");
  assert.equal((await put(body, bursar.token)).json.code, "10008");
  assert.equal((await put({ ...body, id: "platform.nothing" }, operator.token)).json.code, "10005");
  assert.equal((await readHealth()).state, "ok");
  await put(body, operator.token);
  assert.equal(await readState("platform.backup"), "open");
  assert.equal((await readHealth()).state, "degraded");
  assert.equal((await readHealth()).figures.open, 1);
  await put({ ...body, aside: true }, operator.token);
  assert.equal(await readState("platform.backup"), "aside");
});

test("what has been done is done, whatever was put aside", async () => {
  assert.equal(await readState("platform.public-address"), "done");
  assert.equal(await readState("tuition-payment.first-payables"), "aside");
  await app.pool`
    insert into tuition_payment.payable (student_no, student_name, grade, years, amount_fen, item_names, item_fen)
    values ('2026009', '李示例', '2026', '2026', 480000, '{学费}', '{480000}')`;
  assert.equal(await readState("tuition-payment.first-payables"), "done");
});
