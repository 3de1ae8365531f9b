import { parseEnv } from "node:util";
import { parse, parseAllDocuments } from "yaml";
import { describeSettings, readSettings } from "#quintet/settings.ts";
import { problemsOf } from "#test/setting-problems.ts";

// Whether the files of deploy/ fit each other and the code. Each function takes all that it needs as texts, so that a
// planted fault can be shown to it.

/** The files of deploy/, and those of the code that they name, by their paths in the project. */
export type Files = ReadonlyMap<string, string>;

const settings = describeSettings(readSettings({}));
const standardOf = (key: string): string => settings.find((setting) => setting.key === key)?.standard ?? "";
const secretKeys = new Set(settings.filter(({ secret }) => secret).map(({ key }) => key));

// What the platform's base image and the container's own programs read, and no setting of ours.
const foreign = new Set(["LD_LIBRARY_PATH", "HOME", "POSTGRES_PASSWORD", "DATABASE_PASSWORD", "DATABASE_USER"]);
const reference = /\$\{\w+:\?[^}]*\}|\$\(\w+\)/g;

function textOf(files: Files, path: string): string {
  const text = files.get(path);
  if (text === undefined) throw new Error(`${path} is missing`);
  return text;
}

// oxlint-disable-next-line typescript/no-explicit-any -- what a file says is whatever it says
type Parsed = any;

const compose = (files: Files): Parsed => parse(textOf(files, "deploy/compose/compose.yaml"), { merge: true });

/** The resources of all manifests by their kinds. */
const readResources = (files: Files): Parsed =>
  Object.fromEntries(
    [...files]
      .filter(([path]) => path.startsWith("deploy/kubernetes/"))
      .flatMap(([, text]) => parseAllDocuments(text).map((document) => document.toJS()))
      .map((one) => [one.kind, one]),
  );

const readContainer = (files: Files): Parsed => readResources(files).Deployment.spec.template.spec.containers[0];

const readImageEnvironment = (files: Files): Record<string, string> => {
  const line = /^ENV (.*)$/m.exec(textOf(files, "deploy/Dockerfile"))?.[1] ?? "";
  return Object.fromEntries(line.split(" ").map((pair) => pair.split("=", 2) as [string, string]));
};

const readUnitEnvironment = (files: Files): Record<string, string> => {
  const line = /^Environment=(.*)$/m.exec(textOf(files, "deploy/quintet@.service"))?.[1] ?? "";
  return Object.fromEntries(
    line
      .replace("%i", "8080")
      .split(" ")
      .map((pair) => pair.split("=", 2) as [string, string]),
  );
};

/** What each way of running it tells the servers. */
function listEnvironments(files: Files): Readonly<Record<string, Record<string, string | undefined>>> {
  const image = readImageEnvironment(files);
  const { services } = compose(files);
  const given = readContainer(files).env.map(({ name, value }: Parsed) => [name, value ?? `$(${name})`]);
  return {
    compose: {
      ...image,
      ...parseEnv(textOf(files, "deploy/compose/settings.env")),
      ...services.database.environment,
      ...services.one.environment,
    },
    kubernetes: { ...image, ...readResources(files).ConfigMap.data, ...Object.fromEntries(given) },
    systemd: { ...parseEnv(textOf(files, "deploy/settings.env")), ...readUnitEnvironment(files) },
  };
}

// A campus platform, so that STUDENT_IDENTITY=campus is whole; a file that only the container has is left out.
const others = {
  CAMPUS_APP_KEY: "key",
  CAMPUS_APP_SECRET: "secret",
  CAMPUS_SCHOOL_CODE: "1",
  CAMPUS_REDIRECT_URI: "https://quintet.example.edu/",
};
const fill = (value = ""): string =>
  value
    .replaceAll(/\$\{STUDENT_IDENTITY:\?[^}]*\}/g, "campus")
    .replaceAll(reference, "word")
    .replaceAll(/&sslrootcert=[^&]*/g, "");

function findSettingFaults(files: Files): string[] {
  return Object.entries(listEnvironments(files)).flatMap(([where, given]) => {
    const own = Object.entries(given).filter(([key]) => !foreign.has(key));
    const unknown = own.filter(([key]) => !settings.some((setting) => setting.key === key));
    const filled = Object.fromEntries(own.map(([key, value]) => [key, fill(value)]));
    return [
      ...unknown.map(([key]) => `${where}: ${key} is no setting`),
      ...problemsOf({ ...others, ...filled }).map((problem) => `${where}: ${problem}`),
    ];
  });
}

const isSecret = (key: string): boolean => secretKeys.has(key) || (foreign.has(key) && key.endsWith("PASSWORD"));

/** Secrets that have a value, or one that is taken when nobody gives another. */
const findDefaultSecrets = (files: Files): string[] => [
  ...Object.entries(listEnvironments(files)).flatMap(([where, given]) =>
    Object.entries(given)
      .filter(([key, value = ""]) => isSecret(key) && value !== "" && value.search(reference) < 0)
      .map(([key]) => `${where}: ${key} has a value`),
  ),
  ...[...files]
    .filter(([path, text]) => path.startsWith("deploy/") && /\$\{\w+:?[-=]/.test(text))
    .map(([path]) => `${path}: a value is taken when none is given`),
];

/** Programs, scripts and files that are named and not there. */
function findMissingCommands(files: Files): string[] {
  const dockerfile = textOf(files, "deploy/Dockerfile");
  const { scripts } = JSON.parse(textOf(files, "package.json")) as { scripts: Record<string, string> };
  const unit = textOf(files, "deploy/quintet@.service");
  const runs = [...dockerfile.matchAll(/npm run (\S+)/g)].map(([, name = ""]) => name);
  const named = [...`${dockerfile}\n${unit}`.matchAll(/(?:^|[\s/"])((?:src|scripts)\/[\w/-]+\.[jt]s)\b/gm)].map(
    ([, name = ""]) => name,
  );
  const ignored = textOf(files, ".dockerignore").split("\n");
  return [
    ...runs.filter((name) => scripts[name] === undefined).map((name) => `npm run ${name} is no script`),
    ...named.filter((name) => !files.has(name)).map((name) => `${name} is not there`),
    ...["src", "migrations", "scripts", "web"]
      .filter((name) => ignored.includes(name))
      .map((name) => `${name} is ignored`),
    ...[".git", ".env", "data", "node_modules"]
      .filter((name) => !ignored.includes(name))
      .map((name) => `${name} goes in`),
  ];
}

function findPortFaults(files: Files): string[] {
  const port = standardOf("PORT");
  const dockerfile = textOf(files, "deploy/Dockerfile");
  const upstream = [...textOf(files, "deploy/nginx.conf.template").matchAll(/^ {2}server (\w+):(\d+)/gm)];
  const { ports } = readContainer(files);
  const said = [
    ["ENV PORT", readImageEnvironment(files)["PORT"]],
    ["EXPOSE", /^EXPOSE (\d+)$/m.exec(dockerfile)?.[1]],
    ["containerPort", String(ports[0].containerPort)],
    ...upstream.map(([, name = "", number]) => [`upstream ${name}`, number]),
  ] as const;
  const servers = Object.entries<Parsed>(compose(files).services).filter(([, one]) => "build" in one);
  const asked = upstream.map(([, name]) => name);
  return [
    ...said.filter(([, number]) => number !== port).map(([where, number]) => `${where}: ${number} is not ${port}`),
    ...servers.filter(([name]) => !asked.includes(name)).map(([name]) => `the proxy does not ask ${name}`),
  ];
}

function findProbeFaults(files: Files): string[] {
  const served = [...textOf(files, "src/platform/http/probes.ts").matchAll(/BASE_PATH\}(\/\w+)`/g)].map(
    ([, path]) => path,
  );
  const { startupProbe, livenessProbe, readinessProbe } = readContainer(files);
  const health = /PATH \?\? ''\}(\/\w+)`/.exec(textOf(files, "deploy/Dockerfile"))?.[1];
  const asked = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
  return [health, ...asked].filter((path) => !served.includes(path)).map((path) => `${path} is not served`);
}

const differ = (what: string, one: unknown, other: unknown): string[] =>
  JSON.stringify(one) === JSON.stringify(other)
    ? []
    : [`${what}: ${JSON.stringify(one)} is not ${JSON.stringify(other)}`];

// As long as src/main.ts lets a stop take, and a second.
const leastGraceSeconds = 10;

/** What a proxy must let through, and how long a stop may take. */
function findProxyAndStopFaults(files: Files): string[] {
  const nginx = textOf(files, "deploy/nginx.conf.template");
  const { services } = compose(files);
  const pod = readResources(files).Deployment.spec.template.spec;
  const wanted = [
    "underscores_in_headers on;",
    "proxy_buffering off;",
    "proxy_set_header X-Forwarded-For $remote_addr;",
  ];
  const bodyMb = Number(/client_max_body_size (\d+)m;/.exec(nginx)?.[1]);
  const grace = {
    compose: Number.parseInt(services.one.stop_grace_period, 10),
    kubernetes: pod.terminationGracePeriodSeconds - pod.containers[0].lifecycle.preStop.sleep.seconds,
    systemd: Number(/^TimeoutStopSec=(\d+)$/m.exec(textOf(files, "deploy/quintet@.service"))?.[1]),
  };
  return [
    ...wanted.filter((line) => !nginx.includes(line)).map((line) => `nginx lacks ${line}`),
    ...(bodyMb > Number(standardOf("MAX_WORKBOOK_MB")) ? [] : [`nginx lets ${bodyMb} MiB through`]),
    ...differ(
      "TRUSTED_PROXIES",
      services.one.environment["TRUSTED_PROXIES"],
      services.proxy.networks.inner.ipv4_address,
    ),
    ...Object.entries(grace)
      .filter(([, seconds]) => !(seconds >= leastGraceSeconds))
      .map(([where, seconds]) => `${where}: a stop is cut off after ${seconds} s`),
  ];
}

/** What keeps a server that somebody has broken into from the rest of the machine. */
function findLooseEnds(files: Files): string[] {
  const unit = textOf(files, "deploy/quintet@.service").split("\n");
  const users = [...textOf(files, "deploy/Dockerfile").matchAll(/^USER (\d+)/gm)].map(([, user]) => Number(user));
  const wanted = [
    "User=quintet",
    "ProtectSystem=strict",
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "UMask=0077",
  ];
  return [
    ...wanted.filter((line) => !unit.includes(line)).map((line) => `the unit lacks ${line}`),
    ...unit.filter((line) => line.startsWith("MemoryDenyWriteExecute")).map((line) => `Node cannot live with ${line}`),
    ...((users.at(-1) ?? 0) > 0 ? [] : ["the image runs as root"]),
  ];
}

/** Everything that is wrong. */
export function findFaults(files: Files): string[] {
  const checks = [
    findSettingFaults,
    findDefaultSecrets,
    findMissingCommands,
    findPortFaults,
    findProbeFaults,
    findProxyAndStopFaults,
    findLooseEnds,
  ];
  return checks.flatMap((check) => check(files));
}
