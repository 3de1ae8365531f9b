import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { withinOneMinute } from "#test/one-minute.ts";
import { registerCampus } from "#test/relay/campus.ts";

const settings = { RATE_LIMIT_OPEN: "3", STATUS_STYLE: "always-200", TRUSTED_PROXIES: "127.0.0.1" };
const app = await startTestApp({ services: ["push-relay"], settings });
const { token } = await app.signIn("push-relay");
const campus = await registerCampus(app, { token });

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

test("a flood of bad pushes is told to wait; good ones, from there too, are always taken", async () => {
  const refuse = (address: string, change: Record<string, unknown>) =>
    campus.push("addUser", { card_number: "1" }, change, from(address));
  const reasons = [{ app_secret: "x" }, { raw_data: "x" }, { event: "x" }, { app_key: "x" }, { raw_data: undefined }];
  const { codes, good, late, raw } = await withinOneMinute(app.pool, async () => {
    const codes = [];
    for (const change of reasons) codes.push((await refuse("192.0.2.1", change)).json.code);
    const good = await refuse("192.0.2.1", {});
    const late = await refuse("192.0.2.1", { event: "x" });
    const raw = await app.call("POST", "/wx/wxc/receive", {
      raw: "{",
      headers: { "content-type": "application/json", ...from("192.0.2.1").headers },
    });
    return { codes, good, late, raw };
  });
  assert.deepEqual(codes, [10006, 16009, 11001, 20001, 20001]);
  assert.deepEqual([good.status, good.json.code, good.headers.get("retry-after")], [200, 0, null]);
  assert.equal(late.status, 429, "the receiver's answers have no envelope, and so keep their status");
  assert.match(late.headers.get("retry-after") ?? "", /^\d+$/);
  assert.deepEqual([raw.status, raw.json.code], [429, 20001]);
  assert.equal((await refuse("192.0.2.2", { event: "x" })).json.code, 11001, "another address has a count of its own");
});
