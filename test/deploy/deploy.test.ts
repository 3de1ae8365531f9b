import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { parse, parseAllDocuments } from "yaml";
import { describeSettings, readSettings } from "#quintet/settings.ts";
import { startTestApp } from "#test/app.ts";
import { problemsOf } from "#test/setting-problems.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readText = (file: string): Promise<string> => readFile(path.join(root, file), "utf8");
const dockerfile = await readText("deploy/Dockerfile");
const unit = await readText("deploy/quintet@.service");
const nginx = await readText("deploy/nginx.conf.template");
const composeText = await readText("deploy/compose/compose.yaml");
const manifests = await Promise.all(
  ["settings", "servers", "database"].map((n) => readText(`deploy/kubernetes/${n}.yaml`)),
);
const composeEnv = await readText("deploy/compose/settings.env");
const unitEnv = await readText("deploy/settings.env");

// oxlint-disable-next-line typescript/no-explicit-any -- the parsed files have no common type
type Parsed = any;

const { services }: Parsed = parse(composeText, { merge: true });
const resources: Parsed = Object.fromEntries(
  manifests
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))
    .map((one: Parsed) => [one.kind, one]),
);
const pod = resources.Deployment.spec.template.spec;
const [container] = pod.containers;

const toPairs = (line = ""): Record<string, string> =>
  Object.fromEntries(line.split(" ").map((pair) => pair.split("=", 2) as [string, string]));
const image = toPairs(/^ENV (.*)$/m.exec(dockerfile)?.[1]);

const environments: Readonly<Record<string, Record<string, string | undefined>>> = {
  compose: {
    ...image,
    ...parseEnv(composeEnv),
    ...services.database.environment,
    ...services.one.environment,
  },
  kubernetes: {
    ...image,
    ...resources.ConfigMap.data,
    ...Object.fromEntries(container.env.map(({ name, value }: Parsed) => [name, value ?? `$(${name})`])),
  },
  systemd: { ...parseEnv(unitEnv), ...toPairs(/^Environment=(.*)$/m.exec(unit)?.[1]?.replace("%i", "8080")) },
};

const settings = describeSettings(readSettings({}));
const standardOf = (key: string): string => settings.find((setting) => setting.key === key)?.standard ?? "";
const foreign = new Set(["LD_LIBRARY_PATH", "HOME", "POSTGRES_PASSWORD", "DATABASE_PASSWORD", "DATABASE_USER"]);
const reference = /\$\{\w+:\?[^}]*\}|\$\(\w+\)/g;

// STUDENT_IDENTITY=campus needs these settings.
const campus = {
  CAMPUS_APP_KEY: "key",
  CAMPUS_APP_SECRET: "secret",
  CAMPUS_SCHOOL_CODE: "1",
  CAMPUS_REDIRECT_URI: "https://quintet.example.edu/",
};
// The parameter sslrootcert is left out, since its file exists only in the container.
const fill = (value = ""): string =>
  value
    .replaceAll(/\$\{(?:STUDENT|EMPLOYEE)_IDENTITY:\?[^}]*\}/g, "campus")
    .replaceAll(reference, "word")
    .replaceAll(/&sslrootcert=[^&]*/g, "");

for (const [where, given] of Object.entries(environments))
  test(`${where} gives settings that there are, that are good, and no secret`, () => {
    const own = Object.entries(given).filter(([key]) => !foreign.has(key));
    assert.ok(own.length > 2, "the test must have read the files");
    const known = new Set(settings.map(({ key }) => key));
    assert.deepEqual(
      own.filter(([key]) => !known.has(key)),
      [],
    );
    assert.deepEqual(
      problemsOf({ ...campus, ...Object.fromEntries(own.map(([key, value]) => [key, fill(value)])) }),
      [],
    );
    const secrets = new Set(settings.filter(({ secret }) => secret).map(({ key }) => key));
    const isSecret = (key: string): boolean => secrets.has(key) || (foreign.has(key) && key.endsWith("PASSWORD"));
    const set = Object.entries(given).filter(([key, value = ""]) => isSecret(key) && value !== "");
    assert.deepEqual(
      set.filter(([, value = ""]) => value.search(reference) < 0),
      [],
    );
  });

test("the proxy drops the number that a client sends where it sets that number itself", () => {
  for (const [setting, number] of [
    ["STUDENT_IDENTITY", "card_number"],
    ["EMPLOYEE_IDENTITY", "employee_no"],
  ] as const) {
    const [, variable] = new RegExp(`map "\\$\\{${setting}\\}" (\\$\\w+) \\{\\s+"header" "";`).exec(nginx) ?? [];
    assert.ok(variable !== undefined && nginx.includes(`proxy_set_header ${number} ${variable};`), number);
  }
});

test("no value is taken where none is given", () => {
  for (const text of [dockerfile, composeText, nginx, ...manifests]) assert.doesNotMatch(text, /\$\{\w+:?[-=]/);
});

test("programs and scripts that are named are there, and go into the image", async () => {
  const { scripts } = JSON.parse(await readText("package.json")) as { scripts: Record<string, string> };
  for (const [, name = ""] of dockerfile.matchAll(/npm run (\S+)/g)) assert.ok(scripts[name], name);
  const named = `${dockerfile}\n${unit}`.matchAll(/(?:^|[\s/"])((?:src|scripts)\/[\w/-]+\.[jt]s)\b/gm);
  for (const [, name = ""] of named) assert.ok(await readText(name), name);
  const ignored = (await readText(".dockerignore")).split("\n");
  for (const folder of ["src", "migrations", "scripts", "web"]) assert.ok(!ignored.includes(folder), folder);
  for (const folder of [".git", ".env", "data", "node_modules"]) assert.ok(ignored.includes(folder), folder);
});

test("ports, probes and addresses are those of the server", async () => {
  const upstream = [...nginx.matchAll(/^ {2}server (\w+):(\d+)/gm)];
  const ports = [image["PORT"], /^EXPOSE (\d+)$/m.exec(dockerfile)?.[1], String(container.ports[0].containerPort)];
  for (const port of [...ports, ...upstream.map(([, , port]) => port)]) assert.equal(port, standardOf("PORT"));
  const servers = Object.entries<Parsed>(services).filter(([, one]) => "build" in one);
  for (const [name] of servers)
    assert.ok(
      upstream.some(([, asked]) => asked === name),
      name,
    );
  assert.equal(services.one.environment["TRUSTED_PROXIES"], services.proxy.networks.inner.ipv4_address);
  const probes = await readText("src/platform/http/probes.ts");
  const served = [...probes.matchAll(/BASE_PATH\}(\/\w+)`/g)].map(([, place]) => place);
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const asked = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
  for (const place of [...asked, /PATH \?\? ''\}(\/\w+)`/.exec(dockerfile)?.[1]])
    assert.ok(served.includes(place), place);
});

test("what was acknowledged is at a standby, and in a backup: neither is left to be asked for", () => {
  const { instances, postgresql } = resources.Cluster.spec;
  const { method, number, dataDurability } = postgresql.synchronous;
  assert.deepEqual([method, number, dataDurability], ["any", 1, "required"]);
  // If there is one more standby than PostgreSQL waits for, writes continue when a standby is missing.
  assert.ok(instances > number + 1);
  const makers = Object.entries<Parsed>(services).filter(([, one]) => one.environment?.BACKUP_TO !== undefined);
  assert.deepEqual(
    makers.map(([name]) => name),
    ["one"],
  );
  assert.ok(services.one.volumes.some((volume: string) => volume.endsWith(`:${services.one.environment.BACKUP_TO}`)));
  assert.ok(services.one.volumes.includes(services.two.volumes[0]));
});

test("the proxy answers to the name that it is given, at every door, and to no other", () => {
  const doors = nginx.match(/^server \{$/gm);
  const own = "  server_name ${SERVER_NAME};\n";
  const others = "  if ($host != $server_name) {\n    return 421;\n";
  assert.deepEqual(
    [own, others].map((text) => nginx.split(text).length - 1),
    [doors?.length, doors?.length],
  );
  assert.match(services.proxy.environment.SERVER_NAME, /^\$\{SERVER_NAME:\?/);
});

test("the proxy lets through what the server takes, and a stop has its time", () => {
  for (const line of [
    "underscores_in_headers on;",
    "proxy_buffering off;",
    "proxy_set_header Host $host;",
    "proxy_set_header X-Forwarded-For $remote_addr;",
  ])
    assert.ok(nginx.includes(line), line);
  assert.ok(Number(/client_max_body_size (\d+)m;/.exec(nginx)?.[1]) > Number(standardOf("MAX_WORKBOOK_MB")));
  // Each grace period must exceed the shutdown limit of src/main.ts (nine seconds) by at least a second.
  const graces = [
    Number.parseInt(services.one.stop_grace_period, 10),
    pod.terminationGracePeriodSeconds - container.lifecycle.preStop.sleep.seconds,
    Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]),
  ];
  for (const seconds of graces) assert.ok(seconds >= 10, `${seconds} s`);
});

test("a server that somebody has broken into is kept from the rest of the machine", () => {
  const lines = unit.split("\n");
  for (const line of [
    "User=quintet",
    "ProtectSystem=strict",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "UMask=0077",
  ])
    assert.ok(lines.includes(line), line);
  assert.doesNotMatch(unit, /^MemoryDenyWriteExecute/m, "Node cannot live with it");
  const users = [...dockerfile.matchAll(/^USER (\d+)/gm)].map(([, user]) => Number(user));
  assert.ok((users.at(-1) ?? 0) > 0, "the image runs as root");
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).error === undefined;
test("systemd takes the unit", { skip: hasSystemd ? false : "systemd is not installed" }, async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-deploy-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  // The folder /opt/quintet is replaced by this project's folder, so that systemd finds the programs. Only complaints
  // about this unit count, since systemd also reports on the machine's own units.
  await writeFile(path.join(folder, "quintet@.service"), unit.replaceAll("/opt/quintet", root.replace(/\/$/, "")));
  const { stderr } = spawnSync("systemd-analyze", ["verify", path.join(folder, "quintet@8080.service")]);
  assert.doesNotMatch(stderr.toString(), /quintet@/);
});

test("dashboard and alarms ask for what /metrics has, and alarms lead to a heading of operations", async () => {
  const bearer = "a-token-for-metrics-1";
  const app = await startTestApp({ settings: { METRICS_TOKEN: bearer } });
  const { text: metrics } = await app.call("GET", "/metrics", { headers: { authorization: `Bearer ${bearer}` } });
  const names = new Set(
    [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  const { panels }: Parsed = JSON.parse(await readText("deploy/grafana/quintet.json"));
  const asked: string[] = panels.flatMap(({ targets = [] }: Parsed) => targets.map(({ expr }: Parsed) => expr));
  const headings = [...(await readText("docs/operations.md")).matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replaceAll(" ", "-"),
  );
  for (const file of ["alerts", "conditions"])
    for (const { rules } of parse(await readText(`deploy/prometheus/${file}.yml`)).groups as Parsed[])
      for (const { expr, annotations } of rules) {
        asked.push(expr);
        const [page, heading = ""] = annotations.runbook_url.split("#");
        assert.ok(page === "docs/operations.md" && headings.includes(heading), annotations.runbook_url);
      }
  assert.ok(asked.length > 60, "the test must have read the panels and alarms");
  const unknown = asked.flatMap((expr) => expr.match(/quintet_\w+/g) ?? []).filter((name) => !names.has(name));
  assert.deepEqual(unknown, []);
  // Metrics for which every process reports the same value need max or min instead of a sum.
  const shared = /\bquintet_(?:health|alerts|jobs|files|payments|database|relay_(?!push|events))\w*/;
  assert.deepEqual(
    asked.filter((expr) => shared.test(expr) && !/\b(?:max|min)\b/.test(expr)),
    [],
  );
});
