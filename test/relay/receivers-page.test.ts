import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { createSecret, readKey, sign } from "#platform/outbound/signature.ts";

// The functions of docs/receivers.md, run as they stand there, in each language that this machine has.

const page = await readFile(new URL("../../docs/receivers.md", import.meta.url), "utf8");
const folder = await mkdtemp(path.join(tmpdir(), "quintet-receivers-"));
after(() => rm(folder, { recursive: true, force: true }));

interface Language {
  readonly name: string;
  readonly fence: string;
  readonly file: string;
  /** What asks the machine whether it has the language. */
  readonly probe: readonly [string, ...string[]];
  readonly run: (file: string) => readonly [string, ...string[]];
  /** Reads lines of secret, id, timestamp, signatures and body in base64, and says true or false for each. */
  readonly driver: string;
}

const languages: readonly Language[] = [
  {
    name: "TypeScript",
    fence: "typescript",
    file: "webhook.ts",
    probe: [process.execPath, "--version"],
    run: (file) => [process.execPath, file],
    driver: `
import { readFileSync } from "node:fs";
for (const line of readFileSync(0, "utf8").trimEnd().split("\\n")) {
  const [secret = "", id = "", timestamp = "", signature = "", body = ""] = line.split("\\t");
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  console.log(verify(secret, headers, Buffer.from(body, "base64")));
}`,
  },
  {
    name: "Java",
    fence: "java",
    file: "Webhook.java",
    probe: ["java", "-version"],
    run: (file) => ["java", file],
    driver: `
final class Driver {
  public static void main(String[] args) throws Exception {
    var reader = new java.io.BufferedReader(new java.io.InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      String[] parts = line.split("\\t", -1);
      System.out.println(Webhook.verify(parts[0], parts[1], parts[2], parts[3], Base64.getDecoder().decode(parts[4])));
    }
  }
}`,
  },
  {
    name: "Python",
    fence: "python",
    file: "webhook.py",
    probe: ["python3", "--version"],
    run: (file) => ["python3", file],
    driver: `
import sys
for line in sys.stdin.read().rstrip("\\n").split("\\n"):
    secret, message_id, timestamp, signature, body = line.split("\\t")
    given = {"webhook-id": message_id, "webhook-timestamp": timestamp, "webhook-signature": signature}
    print(str(verify(secret, given, base64.b64decode(body))).lower())`,
  },
  {
    name: "PHP",
    fence: "php",
    file: "webhook.php",
    probe: ["php", "--version"],
    run: (file) => ["php", file],
    driver: `
foreach (explode("\\n", rtrim(stream_get_contents(STDIN), "\\n")) as $line) {
    [$secret, $id, $timestamp, $signature, $body] = explode("\\t", $line);
    $headers = ['webhook-id' => $id, 'webhook-timestamp' => $timestamp, 'webhook-signature' => $signature];
    echo verify($secret, $headers, base64_decode($body)) ? 'true' : 'false', "\\n";
}`,
  },
];

interface Case {
  readonly what: string;
  readonly line: readonly string[];
  readonly expected: boolean;
}

function listCases(): Case[] {
  const [secret, other] = [createSecret(), createSecret()];
  const body = Buffer.from('{"id":"a","data":{"name":"陈小明 \u0000"}}');
  const nowMs = Date.now();
  const lineOf = (by: readonly string[], atMs: number, sent = body, id = "msg-1") => {
    const headers = sign("msg-1", body, by.map(readKey), atMs);
    return [secret, id, headers["webhook-timestamp"], headers["webhook-signature"], sent.toString("base64")];
  };
  const [key = "", id = "", timestamp = "", signature = "", text = ""] = lineOf([secret], nowMs);
  return [
    { what: "as it was sent", line: lineOf([secret], nowMs), expected: true },
    { what: "during a change of secrets", line: lineOf([other, secret], nowMs), expected: true },
    { what: "by another secret", line: lineOf([other], nowMs), expected: false },
    { what: "another body", line: lineOf([secret], nowMs, Buffer.from("{}")), expected: false },
    { what: "another id", line: lineOf([secret], nowMs, body, "msg-2"), expected: false },
    { what: "too old", line: lineOf([secret], nowMs - 301_000), expected: false },
    { what: "from the future", line: lineOf([secret], nowMs + 310_000), expected: false },
    { what: "no time", line: [key, id, "soon", signature, text], expected: false },
    { what: "no signature", line: [key, id, timestamp, "", text], expected: false },
    { what: "another scheme", line: [key, id, timestamp, signature.replace("v1,", "v2,"), text], expected: false },
  ];
}

for (const { name, fence, file, probe, run, driver } of languages) {
  const [command, ...probeArgs] = probe;
  const isThere = spawnSync(command, probeArgs).status === 0;
  test(
    `the ${name} function of the page tells true pushes from false`,
    { skip: !isThere && "not on this machine" },
    async () => {
      const code = new RegExp(`\`\`\`${fence}\\n([^]*?)\`\`\``).exec(page)?.[1] ?? assert.fail("not on the page");
      const place = path.join(folder, file);
      // Java runs the first class of a file.
      await writeFile(place, fence === "java" ? code.replace(/^final class/m, `${driver}\n$&`) : code + driver);
      const cases = listCases();
      const said = await runWith(run(place), cases.map(({ line }) => `${line.join("\t")}\n`).join(""));
      assert.deepEqual(
        said
          .trim()
          .split("\n")
          .map((answer, index) => `${cases[index]?.what}: ${answer}`),
        cases.map(({ what, expected }) => `${what}: ${expected}`),
      );
    },
  );
}

function runWith([command, ...args]: readonly [string, ...string[]], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, (error, out) => (error ? reject(error) : resolve(out)));
    child.stdin?.end(input);
  });
}
