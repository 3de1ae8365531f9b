import type { TestContext } from "node:test";
import { contracts } from "#quintet/app.ts";
import { startTestApp } from "#test/app.ts";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import { cardSettings } from "./cards.ts";
import type { DriveOptions } from "./drive.ts";

// Each works once.
const listCodes = (): string[] =>
  Array.from({ length: 50 }, (_, index) => [`code-${index}`, `phone-${13_800_000_000 + index}`]).flat();

/** The whole platform without limits on how often one may ask, with stand-ins for what lies outside. */
export async function startDrivenApp(t: TestContext): Promise<Omit<DriveOptions, "seed" | "seconds">> {
  const outside = await startWeChatStandIn();
  t.after(() => outside.close());
  const wechat = { WECHAT_APP_ID: outside.appId, WECHAT_SECRET: outside.secret, WECHAT_BASE_URL: outside.url };
  const app = await startTestApp({
    settings: { RATE_LIMIT_OPEN: "1000000000", RATE_LIMIT_LOGIN: "1000000000", ...wechat, ...cardSettings },
  });
  return { app, contracts, known: { reporting: { code: listCodes() }, "tuition-payment": { realPayAmount: [6000] } } };
}
