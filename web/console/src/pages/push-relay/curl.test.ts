import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { toCurl } from "#console/pages/push-relay/curl.ts";

test("a shell reads the command as it was meant, whatever the body holds", () => {
  const body = `{"name":"O'Neil \\"陈\\" $HOME \`id\` !x","lines":"a\\nb"}`;
  const headers = { "content-type": "application/json", "webhook-signature": "v1,***" };
  const command = toCurl({ method: "POST", url: "http://127.0.0.1:9/hook?a=1&b='2'", headers, body });
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const read = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
  assert.deepEqual(read, [
    ..."-i -X POST".split(" "),
    "http://127.0.0.1:9/hook?a=1&b='2'",
    "-H",
    "content-type: application/json",
    "-H",
    "webhook-signature: v1,***",
    "--data-raw",
    body,
  ]);
});
