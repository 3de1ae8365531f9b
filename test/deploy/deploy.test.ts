import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeCertificate } from "#test/certificate.ts";
import { type Files, findFaults } from "./faults.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sources = [
  "deploy/**/*",
  ".dockerignore",
  "package.json",
  "scripts/*.js",
  "src/main.ts",
  "src/platform/http/probes.ts",
];

async function readFiles(): Promise<Files> {
  const files = new Map<string, string>();
  for await (const entry of glob(sources, { cwd: root, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    files.set(path.relative(root, file).replaceAll("\\", "/"), await readFile(file, "utf8"));
  }
  return files;
}

const files = await readFiles();

test("image, compose, manifests, unit and proxy fit the code and each other", () => {
  assert.ok(files.size > 12, "the test must have read the files");
  assert.deepEqual(findFaults(files), []);
});

const dockerfile = "deploy/Dockerfile";
const composeFile = "deploy/compose/compose.yaml";
const servers = "deploy/kubernetes/servers.yaml";
const unit = "deploy/quintet@.service";
const nginx = "deploy/nginx.conf.template";

/** What is planted: in which file what takes the place of what, and what is said of it. */
const planted: readonly (readonly [file: string, from: string, to: string, said: RegExp])[] = [
  [dockerfile, "PORT=8080", "PROT=8080", /PROT is no setting/],
  ["deploy/settings.env", "OPERATOR_PASSWORD=", "OPERATOR_PASSWORD=changeit", /OPERATOR_PASSWORD has a value/],
  [composeFile, "${POSTGRES_PASSWORD:?of", "${POSTGRES_PASSWORD:-postgres", /a value is taken when none is given/],
  [composeFile, "TRUSTED_PROXIES: 172.31.250.2", "TRUSTED_PROXIES: 172.31.250.3", /TRUSTED_PROXIES/],
  [dockerfile, "npm run web", "npm run console", /npm run console is no script/],
  [dockerfile, "USER 65532:65532", "USER 0:0", /runs as root/],
  [servers, "path: /readyz", "path: /ready", /\/ready is not served/],
  [servers, "terminationGracePeriodSeconds: 20", "terminationGracePeriodSeconds: 10", /cut off after 5 s/],
  [nginx, "server two:8080", "server two:8081", /upstream two: 8081/],
  [unit, "NoNewPrivileges=yes", "", /lacks NoNewPrivileges/],
];

for (const [file, from, to, said] of planted)
  test(`a fault is found: ${file} with ${to === "" ? `no ${from.trim()}` : to.replaceAll("\n", " ")}`, () => {
    const text = files.get(file) ?? "";
    assert.ok(text.includes(from), "what is replaced must be there");
    assert.match(findFaults(new Map([...files, [file, text.replace(from, () => to)]])).join("\n"), said);
  });

const isThere = (command: string): boolean => spawnSync(command, ["--version"]).error === undefined;
const needs = (command: string) => ({ skip: isThere(command) ? false : `${command} is not installed` });

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-deploy-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What systemd says of the unit, were the project at /opt/quintet. It also speaks of units that the machine has. */
const verifyUnit = (text: string): Promise<string> =>
  inFolder(async (folder) => {
    await writeFile(path.join(folder, "quintet@.service"), text.replaceAll("/opt/quintet", root.replace(/\/$/, "")));
    const { stderr } = spawnSync("systemd-analyze", ["verify", path.join(folder, "quintet@8080.service")], {
      encoding: "utf8",
    });
    return stderr
      .split("\n")
      .filter((line) => line.includes("quintet@"))
      .join("\n");
  });

test("systemd takes the unit, and not one with a fault", needs("systemd-analyze"), async () => {
  const text = files.get(unit) ?? "";
  assert.equal(await verifyUnit(text), "");
  assert.match(await verifyUnit(text.replace("ProtectHome=", "ProtectHoem=")), /ProtectHoem/);
});

/** What nginx says of the configuration, with a certificate and servers of this machine. */
const verifyProxy = (text: string, identity: string): Promise<string> =>
  inFolder(async (folder) => {
    const { cert, key } = makeCertificate("localhost");
    await writeFile(path.join(folder, "fullchain.pem"), cert);
    await writeFile(path.join(folder, "privkey.pem"), key);
    const filled = text
      .replaceAll("${STUDENT_IDENTITY}", identity)
      .replaceAll("/etc/nginx/tls", folder)
      .replaceAll(/server (?:one|two):8080/g, "server 127.0.0.1:8080");
    // nginx makes these at the check too, by default where an ordinary user may not write.
    const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (of) => `${of}_temp_path ${folder}/${of};`,
    );
    const whole = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${folders.join(" ")} ${filled} }`;
    await writeFile(path.join(folder, "nginx.conf"), whole);
    const { stderr, status } = spawnSync("nginx", ["-t", "-c", path.join(folder, "nginx.conf")], { encoding: "utf8" });
    return status === 0 ? "" : stderr;
  });

test("nginx takes the configuration, and not one with a fault", needs("nginx"), async () => {
  const text = files.get(nginx) ?? "";
  for (const identity of ["header", "signed", "campus"]) assert.equal(await verifyProxy(text, identity), "");
  assert.match(await verifyProxy(text.replace("server_tokens", "server_token"), "campus"), /server_token/);
});
