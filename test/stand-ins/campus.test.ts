import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { createCampusClient } from "#platform/messaging/campus.ts";
import { startCampusStandIn } from "./campus.ts";
import type { CampusStandIn } from "./campus.ts";

let platform: CampusStandIn;
let nowMs = Date.UTC(2026, 10, 20, 2);
before(async () => {
  platform = await startCampusStandIn({ now: () => nowMs });
});
after(() => platform.close());

async function call(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(platform.url + path, { method: "POST", body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

const askToken = (more: object = {}) =>
  call("/connect/oauth2/token", {
    wxcode: "code-1",
    app_key: platform.appKey,
    app_secret: platform.appSecret,
    grant_type: "authorization_code",
    redirect_uri: platform.redirectUri,
    ...more,
  });

test("failures have the platform's errcodes", async () => {
  const said = [
    await askToken({ wxcode: "" }),
    await askToken({ app_key: "other" }),
    await askToken({ grant_type: "client_credentials" }),
    await askToken({ redirect_uri: "https://other.example" }),
    await askToken({ wxcode: "unknown" }),
    await call("/connect/oauth/get-user-info", { access_token: "unknown" }),
  ];
  assert.deepEqual(
    said.map(({ errcode }) => errcode),
    [40009, 40001, 40010, 40010, 40003, 40005],
  );
});

test("a user's token lasts two hours", async () => {
  const { access_token: token, ocode } = await askToken();
  assert.equal(ocode, platform.schoolCode);
  const ask = () => call("/connect/oauth/get-user-info", { access_token: token });
  assert.deepEqual(await ask(), {
    errcode: 0,
    errmsg: "success",
    ocode: platform.schoolCode,
    card_number: "1",
    telephone: "(+86)10000000001",
    contact_phone: "(+86)10000000000",
  });
  nowMs += 7_200_000;
  assert.equal((await ask()).errcode, 40002);
});

test("by hand it prints its settings, and who signs in", async (t) => {
  const file = new URL("campus.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [file, "0"], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill());
  const lines = createInterface(child.stdout);
  const [printed] = (await once(lines, "line")) as [string];
  const settings = Object.fromEntries(printed.split(" ").map((pair) => pair.split("=") as [string, string]));
  const line = once(lines, "line");
  await createCampusClient({
    baseUrl: settings.CAMPUS_BASE_URL,
    appKey: settings.CAMPUS_APP_KEY ?? "",
    appSecret: settings.CAMPUS_APP_SECRET ?? "",
    schoolCode: settings.CAMPUS_SCHOOL_CODE ?? "",
    redirectUri: settings.CAMPUS_REDIRECT_URI ?? "",
  }).exchangeCode("code-20260007");
  assert.deepEqual(await line, ["signed in: 20260007"]);
});
