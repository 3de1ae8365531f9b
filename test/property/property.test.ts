import assert from "node:assert/strict";
import { test } from "node:test";
import { contracts } from "#quintet/app.ts";
import { startTestApp } from "#test/app.ts";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import { describeFindings, drive } from "./drive.ts";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const seconds = Number(process.env["PROPERTY_SECONDS"] ?? 12);

// Each works once.
const listCodes = (): string[] => Array.from({ length: 50 }, (_, index) => [`code-${index}`, `phone-${13_800_000_000 + index}`]).flat();

test("every operation keeps its contract whatever it is sent", async (t) => {
  const outside = await startWeChatStandIn();
  t.after(() => outside.close());
  const wechat = { WECHAT_APP_ID: outside.appId, WECHAT_SECRET: outside.secret, WECHAT_BASE_URL: outside.url };
  const app = await startTestApp({ settings: { RATE_LIMIT_OPEN: "1000000000", RATE_LIMIT_LOGIN: "1000000000", ...wechat } });
  t.diagnostic(`SEED=${seed} PROPERTY_SECONDS=${seconds}`);
  const { requests, byOperation, findings } = await drive({ app, contracts, seed, seconds, known: { reporting: { code: listCodes() } } });
  const without = [...byOperation].filter(([, { succeeded }]) => succeeded === 0).map(([name]) => name);
  const least = Math.min(...[...byOperation.values()].map(({ answered }) => answered));
  t.diagnostic(`${requests} requests, at least ${least} an operation; no success of: ${without.join(", ")}`);
  assert.equal(findings.length, 0, `SEED=${seed}${describeFindings(findings)}`);
  assert.equal(byOperation.size, contracts.flatMap(({ endpoints }) => Object.keys(endpoints)).length);
  // Where next to nothing succeeds, only the doors are tested.
  assert.ok(without.length <= byOperation.size / 4, `too many operations never succeeded: ${without.join(", ")}`);
});
