import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { wholeNumber } from "#platform/contract/setting-types.ts";
import { composeSettings } from "#platform/process/compose-settings.ts";
import { readEnvironment, standardEnvFile } from "#platform/process/config.ts";
import { startCommand } from "#test/crash/server.ts";
import { createTestDatabase } from "#test/database.ts";
import { problemsOf } from "#test/setting-problems.ts";
import { serviceNames } from "./app.ts";
import { describeSettings, readSettings } from "./settings.ts";

interface Refused {
  readonly values: readonly string[];
  readonly says: RegExp;
}

const numbers = (least: number, most: number, words = ["ten", "NaN", "1,5"]): Refused => ({
  values: [...words, String(least - 1), String(most + 1), `${least}.5`],
  says: new RegExp(`${least}\\D+${most}`),
});

const bounds = (says: RegExp, ...values: string[]): Refused => ({ values, says });
const services = new RegExp(serviceNames.join(", "));

const databaseAddress = bounds(
  /postgres:\/\/|one host|sslmode|sslrootcert/,
  "mysql://u:Geheimnis@h/x",
  "postgres://u:Geheimnis@h:99999/x",
  "Geheimnis",
  "postgres://u:Geheimnis@one,,two/x",
  "postgres://u:Geheimnis@one:1,two:x/x",
  "postgres://u:Geheimnis@one,two/x?target_session_attrs=standby",
  "postgres://u:Geheimnis@h/x?sslmode=prefer",
  "postgres://u:Geheimnis@h/x?sslrootcert=Geheimnis",
  "postgres://u:Geheimnis@h/x?sslmode=verify-full&sslrootcert=/Geheimnis",
  "postgres://u:Geheimnis@h/x?ssl=true",
);

const refused: Readonly<Record<string, Refused>> = {
  PORT: numbers(0, 65_535),
  BASE_PATH: bounds(/end with \//, "quintet", "/quintet/", "/a b", "//"),
  PUBLIC_URL: bounds(
    /http or https URL/,
    "api.example.edu",
    "ftp://api.example.edu",
    "https://",
    "https://api.example.edu/?a=1",
    "https://api.example.edu/#a",
    "https://user:Geheimnis@api.example.edu",
  ),
  DATABASE_URL: databaseAddress,
  DATABASE_DIRECT_URL: databaseAddress,
  DATABASE_OWNER_URL: databaseAddress,
  DATABASE_POOL: numbers(2, 200),
  OPERATOR_PASSWORD: bounds(/8 to 128/, "Geheim1", "Geheimnis".repeat(20)),
  TIME_ZONE: bounds(/IANA/, "Beijing", "GMT+8h", "Asia/Nowhere", "CST", "+08:00"),
  STATUS_STYLE: bounds(/real, always-200/, "REAL", "200"),
  INPUT_STYLE: bounds(/strict, lenient/, "loose"),
  UNDOCUMENTED_AUTH: bounds(services, "open", "open:", "open:everything", "none", "open:reporting,"),
  TOKEN_HOURS: numbers(1, 720),
  TOKEN_IDLE_MINUTES: numbers(0, 720),
  CONSOLE_IDLE_MINUTES: numbers(0, 720),
  SESSIONS_PER_ACCOUNT: numbers(0, 1000),
  GIVEN_PASSWORD: bounds(/keep, console, all/, "off", "Console"),
  SECOND_FACTOR: bounds(/off, console, all/, "on", "All"),
  SECOND_FACTOR_FOR: bounds(/everybody, super/, "all"),
  SEPARATE_DUTIES: bounds(/0, 1/, "2", "yes"),
  SECOND_FACTOR_MINUTES: numbers(1, 720),
  RATE_LIMIT_OPEN: numbers(1, 1_000_000_000),
  RATE_LIMIT_LOGIN: numbers(1, 1_000_000_000),
  MAX_UPLOAD_MB: numbers(1, 1024),
  UPLOAD_SCANNER: bounds(/clamd:/, "clamd", "http://127.0.0.1:3310", "clamd://", "127.0.0.1:3310", "clamd.sock"),
  MAX_WORKBOOK_MB: numbers(1, 4096),
  UPLOAD_QUOTA_GB: numbers(1, 100_000),
  UPLOAD_SERVICE_QUOTA_GB: bounds(/number from 1 to 100000/, "0", "100001", "much"),
  DISK_RESERVE_MB: numbers(16, 100_000_000),
  MAX_CONNECTIONS: numbers(10, 100_000),
  IDLE_SECONDS: numbers(1, 3600),
  TRUSTED_PROXIES: bounds(/addresses or networks/, "proxy.example.edu", "10.0.0.0/", "true"),
  CORS_ORIGINS: bounds(
    /origins separated by commas/,
    "*",
    "console.example.edu",
    "https://console.example.edu/",
    "null",
  ),
  PASSWORD_PRIVATE_KEY: bounds(
    /RSA private key of at least 1024 bits/,
    "Geheimnis",
    "-----BEGIN PRIVATE KEY-----\\nR2VoZWltbmlz\\n-----END PRIVATE KEY-----",
  ),
  DATA_KEY: bounds(/32 bytes in base64/, "Geheimnis", "R2VoZWltbmlz", `${"A".repeat(42)}==`),
  DATA_KEY_OLD: bounds(/32 bytes in base64/, "Geheimnis", `${Buffer.alloc(32).toString("base64")},Geheimnis`),
  AUDIT_LOG: bounds(/stdout, file:/, "stderr", "file:", "syslog://h:514", "syslog+tls://"),
  AUDIT_KEEP_DAYS: numbers(180, 36_500),
  METRICS_TOKEN: bounds(/16 characters/, "Geheimnis"),
  LOG_LEVEL: bounds(/fatal, error, warn, info, debug, trace, silent/, "verbose", "INFO"),
  JOB_CONCURRENCY: numbers(1, 100),
  FILES_URL: bounds(/s3:\/\/bucket/, "https://s3.example.edu/bucket", "s3://key:Geheimnis@bucket", "s3://", "bucket"),
  FILES_ENDPOINT: bounds(
    /http or https address without a path/,
    "s3.example.edu",
    "https://s3.example.edu/bucket",
    "https://u:Geheimnis@s3.example.edu",
  ),
  FILES_REGION: bounds(/us-east-1/, "EU West", "eu_west"),
  FILES_PLAIN_HTTP: bounds(/refused, allowed/, "yes"),
  FILES_TIMEOUT_SECONDS: numbers(1, 20),
  BACKUP_TO: bounds(/folder/, "s3://key:Geheimnis@bucket", "https://x"),
  BACKUP_TIME: bounds(/time of day/, "24:00", "9:30", "noon"),
  BACKUP_KEEP: numbers(1, 1000),
  MAP_TILES: bounds(
    /\{z\}, \{x\} and \{y\}/,
    "https://tiles.example.edu/",
    "https://tiles.example.edu/{z}/{x}.png",
    "https://{s}.tiles.example.edu/{z}/{x}/{y}.png",
    "https://u:Geheimnis@tiles.example.edu/{z}/{x}/{y}.png",
    "https://tiles.example.edu;script-src/{z}/{x}/{y}.png",
    "//tiles.example.edu/{z}/{x}/{y}.png",
    "javascript:alert(1)/{z}/{x}/{y}",
    "https://tiles.example.edu/{z}/{x}/{y}/{quadkey}",
  ),
  MAP_ATTRIBUTION: bounds(/255/, "x".repeat(256)),
  MAP_CENTER: bounds(/longitude,latitude/, "114.3", "180.1,30", "114,90.5", "114,30,20", "30°N,114°E", "114,30,11,5"),
  MAP_DATUM: bounds(/gcj02, wgs84/, "bd09", "GCJ02"),
  ALERT_LANGUAGE: bounds(/zh, en/, "de"),
  ALERT_WEBHOOK_URL: bounds(/http or https/, "ftp://example.edu", "http://user:Geheimnis@example.edu/"),
  ALERT_WEBHOOK_SECRET: bounds(/24 bytes/, "Geheimnis", "whsec_c2hvcnQ="),
  ALERT_WECOM_URL: bounds(/key=/, "https://example.edu/send", "example.edu?key=Geheimnis"),
  ALERT_DINGTALK_URL: bounds(/access_token=/, "https://example.edu/send?key=Geheimnis"),
  ALERT_MAIL_TO: bounds(/mail addresses/, "night", Array.from({ length: 21 }, (_, n) => `n${n}@example.edu`).join()),
  SMTP_URL: bounds(
    /smtps:\/\//,
    "mail.example.edu",
    "smtp://u:Geheimnis@mail.example.edu?tls=none",
    "https://mail.example.edu",
  ),
  NOTICE_LANGUAGE: bounds(/zh, en, both/, "de"),
  NOTICE_KEEP_DAYS: numbers(1, 36_500),
  DINGTALK_AGENT_ID: bounds(/number/, "app"),
  DINGTALK_BASE_URL: bounds(/http or https/, "oapi.dingtalk.com"),
  WECOM_AGENT_ID: bounds(/number/, "app"),
  WECOM_BASE_URL: bounds(/http or https/, "qyapi.weixin.qq.com"),
  WECHAT_NOTICE_TEMPLATES: bounds(/kind=template/, "due=T1", "library.due=T1:name", "library.due=:a=b"),
  SMS_PROVIDER: bounds(/aliyun or tencent/, "Aliyun"),
  SMS_BASE_URL: bounds(/http or https/, "dysmsapi.aliyuncs.com"),
  SMS_TEMPLATES: bounds(/kind=template/, "library.due", "library.due=SMS_1:a=b=c"),
  OIDC_ISSUER: bounds(
    /http or https|https/,
    "sso.example.edu",
    "http://sso.example.edu",
    "https://u:Geheimnis@sso.example.edu",
  ),
  OIDC_CLIENT_ID: bounds(/255/, "x".repeat(256)),
  OIDC_SCOPE: bounds(/openid/, "profile", "openid  profile", 'openid "'),
  OIDC_CLAIM: bounds(/claim/, "a b", "x".repeat(101)),
  CAS_URL: bounds(
    /http or https|https/,
    "cas.example.edu",
    "http://cas.example.edu/cas",
    "https://cas.example.edu/?a=1",
  ),
  CAS_ATTRIBUTE: bounds(/claim/, "a b", "<x>"),
  SIGN_ON_FRESH_MINUTES: numbers(0, 43_200),
  SIGN_ON_ROLES: bounds(
    /a colon and a space|values of groups|<value> = <service>|must contain one of|super or administrator|platform\/super|must contain only rights|requires OIDC_ISSUER/,
    "it-ops = platform/super",
    "groups:",
    "groups: ;",
    "gr oups: a = reporting/super",
    "groups: a",
    "groups: = reporting/super",
    "groups: a = reporting",
    "groups: a = library/super",
    "groups: a = reporting/boss",
    "groups: a = platform/administrator",
    "groups: a = reporting/super/",
    "groups: a = reporting/super/read",
    "groups: a = reporting/super/attendance.read",
    "groups: a = reporting/super; b",
    `groups: ${"a".repeat(256)} = reporting/super`,
    `groups: ${"a = reporting/super;".repeat(201)}`,
    "groups: a = reporting/super",
  ),
  PASSWORD_LOGIN_ONLY: bounds(/OIDC_ISSUER or CAS_URL/, "operator"),
  MAIL_FROM: bounds(/mail address/, "quintet", "a@b,c@d", "a@b\r\nbcc: c@d"),
  EMPLOYEE_IDENTITY: bounds(/header, signed, campus, demo/, "none", "Header"),
  EMPLOYEE_IDENTITY_SECRET: bounds(/16 characters/, "Geheimnis"),
  STUDENT_IDENTITY: bounds(/header, signed, campus, demo/, "none", "Header"),
  STUDENT_IDENTITY_SECRET: bounds(/16 characters/, "Geheimnis"),
  WECHAT_BASE_URL: bounds(
    /http or https/,
    "api.weixin.qq.com",
    "ftp://x.example",
    "https://u:p@x.example",
    "https://x.example/?a=1",
  ),
  WECHAT_KIND: bounds(/mini-program.*service-account/, "miniprogram"),
  WECHAT_TEMPLATE_FIELDS: bounds(/./, "phrase1", "{"),
  CAMPUS_BASE_URL: bounds(/http or https/, "open.wecard.qq.com"),
  OUTSIDE_TIMEOUT_MS: bounds(/number/, "soon", "99", "60001", "1000.5"),
  OTEL_EXPORTER_OTLP_ENDPOINT: bounds(
    /http or https/,
    "127.0.0.1:4318",
    "grpc://collector",
    "https://u:Geheimnis@c.example",
  ),
  OTEL_EXPORTER_OTLP_HEADERS: bounds(/name=value/, "Geheimnis", "a b=Geheimnis", "key=%Geheimnis", "key=Geheimnis%0a"),
  OTEL_SERVICE_NAME: bounds(/255/, "x".repeat(256)),
  OTEL_TRACES_SAMPLER_ARG: bounds(/0 to 1/, "half", "-0.1", "1.1"),
  PUSH_ALLOWED_NETWORKS: bounds(/networks/, "campus", "10.0.0.0/33", "10.0.0.0/8;127.0.0.1"),
  PUSH_RETRY_SECONDS: bounds(/delays in seconds/, "soon", "5,0", "-1", "2592001", "1,".repeat(21)),
  PUSH_TIMEOUT_SECONDS: bounds(/number from 0.1 to 60/, "soon", "0", "61"),
  PUSH_CONCURRENCY: bounds(/number/, "0", "257", "1.5"),
  PUSH_LEASE_SECONDS: bounds(/number from 1 to 3600/, "soon", "3601"),
  PUSH_PULL_SECONDS: bounds(/number from 1 to 3600/, "soon", "0", "3601"),
  PUSH_POLL_MS: bounds(/number/, "9", "60001", "10.5"),
  PUSH_KEEP_DELIVERED_DAYS: bounds(/number/, "0", "3651", "1.5"),
  PUSH_KEEP_DEAD_DAYS: bounds(/number/, "0", "3651", "1.5"),
  REPORTING_KEEP_DAYS: numbers(1, 36_500),
  ATTENDANCE_PERIOD_START: numbers(1, 28),
  ATTENDANCE_KEEP_CARD_DAYS: numbers(1, 36_500),
  ATTENDANCE_KEEP_DAYS: numbers(1, 36_500),
  TUITION_KEEP_FEEDBACK_DAYS: numbers(1, 36_500),
  TUITION_KEEP_UNPAID_DAYS: numbers(30, 36_500),
  PUSH_FLAG_DAYS: bounds(/number from 0.01 to 365/, "0", "366", "soon"),
  PAY_CCB_MERCHANT_ID: bounds(/15 digits/, "1", "10532014814000a"),
  PAY_CCB_POS_ID: bounds(/9 digits/, "1"),
  PAY_CCB_BRANCH_ID: bounds(/9 digits/, "1"),
  PAY_CCB_PUBLIC_KEY: bounds(/hexadecimal/, "Geheimnis", "ab".repeat(80)),
  PAY_CCB_PAGE_URL: bounds(/http or https/, "ibsbjstar.ccb.com.cn", "https://x.example/?a=1"),
  PAY_CCB_CLIENT_URL: bounds(/http or https/, "10.1.2.3:12345", "http://u:p@10.1.2.3"),
  PAY_CCB_USER: bounds(/digits, hyphens or underscores/, "a b", "<x>"),
  PAY_CCB_PASSWORD: bounds(/64 characters/, "Geheimnis".repeat(8)),
  PAY_ABC_MERCHANT_ID: bounds(/digits/, "1", "x"),
  PAY_ABC_PRIVATE_KEY: bounds(/RSA private key of at least 2048/, "Geheimnis"),
  PAY_ABC_CERTIFICATE: bounds(/certificate/, "Geheimnis"),
  PAY_ABC_BASE_URL: bounds(/http or https/, "pay.abchina.com"),
  PAY_ABC_LEGACY_TLS: bounds(/must be 1/, "0", "true"),
  PAY_WECHAT_MCH_ID: bounds(/digits/, "1", "x"),
  PAY_WECHAT_APP_ID: bounds(/begins with wx/, "1"),
  PAY_WECHAT_APP_SECRET: bounds(/32 hexadecimal/, "Geheimnis"),
  PAY_WECHAT_AUTHORIZE_URL: bounds(/http or https/, "open.weixin.qq.com"),
  PAY_WECHAT_KINDS: bounds(/jsapi, h5, native/, "jsapi,app", "JSAPI"),
  PAY_WECHAT_API_KEY: bounds(/32 bytes/, "Geheimnis"),
  PAY_WECHAT_PRIVATE_KEY: bounds(/RSA private key of at least 2048/, "Geheimnis"),
  PAY_WECHAT_SERIAL: bounds(/hexadecimal/, "x"),
  PAY_WECHAT_PUBLIC_KEY: bounds(/RSA public key/, "Geheimnis"),
  PAY_WECHAT_PUBLIC_KEY_ID: bounds(/PUB_KEY_ID_/, "1"),
  PAY_WECHAT_BASE_URL: bounds(/http or https/, "api.mch.weixin.qq.com"),
  PAY_ALIPAY_APP_ID: bounds(/16 digits/, "1", "202100000000000x"),
  PAY_ALIPAY_SELLER_ID: bounds(/2088/, "1", "1088000000000000"),
  PAY_ALIPAY_PRIVATE_KEY: bounds(/RSA private key of at least 2048/, "Geheimnis"),
  PAY_ALIPAY_PUBLIC_KEY: bounds(/RSA public key of at least 2048/, "Geheimnis"),
  PAY_ALIPAY_BASE_URL: bounds(/http or https/, "openapi.alipay.com"),
  REFUND_APPROVAL: bounds(/"one" or "two"/, "none", "2"),
  PAY_SIMULATED: bounds(/must be 1/, "0", "true"),
  PAY_TIMEOUT_MS: numbers(100, 60_000),
  PAY_LIMIT_SECONDS: numbers(10, 7200),
  PAY_RECONCILE_TIME: bounds(/time of day/, "24:00", "9:30", "noon"),
  PAY_REDIRECT_URL: bounds(/path, or an http/, "//evil.example", "h5/tuition", "javascript:alert(1)"),
  PAY_REDIRECT_HOSTS: bounds(/host/, "https://h5.example.edu", "h5.example.edu/a", "a b"),
};

// No text of these settings is refused by itself. Some are refused together with other settings, or if the named file
// cannot be read.
const anyText = [
  "FILES_ACCESS_KEY",
  "FILES_SECRET_KEY",
  "HOST",
  "DATA_DIR",
  "DATA_KEY_FILE",
  "NODE_ENV",
  "WECHAT_APP_ID",
  "WECHAT_SECRET",
  "WECHAT_TEMPLATE_ID",
  "DINGTALK_APP_KEY",
  "DINGTALK_APP_SECRET",
  "WECOM_CORP_ID",
  "WECOM_APP_SECRET",
  "SMS_KEY_ID",
  "SMS_KEY_SECRET",
  "SMS_SIGN",
  "SMS_APP_ID",
  "SMS_REGION",
  "WECHAT_PAGE",
  "CAMPUS_APP_KEY",
  "CAMPUS_APP_SECRET",
  "ALERT_DINGTALK_SECRET",
  "OIDC_CLIENT_SECRET",
  "CAMPUS_SCHOOL_CODE",
  "CAMPUS_REDIRECT_URI",
];

const described = describeSettings(readSettings({}));

test("every setting is described, and its wrong values are listed here", () => {
  assert.deepEqual(described.map(({ key }) => key).toSorted(), [...Object.keys(refused), ...anyText].toSorted());
  for (const { key, description } of described) assert.ok(description.length > 10, `${key} has no description`);
});

for (const [key, { values, says }] of Object.entries(refused)) {
  test(`a wrong ${key} is refused by its name, with what it may be`, () => {
    for (const value of values) {
      const problems = problemsOf({ [key]: value }).filter((problem) => problem.startsWith(`${key}: `));
      assert.equal(problems.length, 1, `${value} is taken`);
      assert.match(problems[0] ?? "", says);
      assert.doesNotMatch(problems.join("\n"), /Geheim/);
    }
  });
}

test("several wrong settings are told at once", () => {
  const problems = problemsOf({ PORT: "x", STATUS_STYLE: "x", OPERATOR_PASSWORD: "x" });
  assert.deepEqual(problems.map((problem) => problem.split(":")[0]).toSorted(), [
    "OPERATOR_PASSWORD",
    "PORT",
    "STATUS_STYLE",
  ]);
});

test("an address past a pooler is nothing without the one through it", () => {
  const DATABASE_DIRECT_URL = "postgres://u@h/x";
  assert.deepEqual(problemsOf({ DATABASE_DIRECT_URL }), ["DATABASE_DIRECT_URL: requires DATABASE_URL"]);
  assert.deepEqual(problemsOf({ DATABASE_DIRECT_URL, DATABASE_URL: "postgres://u@pooler:6432/x" }), []);
});

test("two parts that have a setting of one name are told of at the start", () => {
  const part = () => ({ shape: { TOKEN_HOURS: wholeNumber(1, 2, 1) } });
  assert.throws(() => composeSettings([part(), part()]), /duplicate setting TOKEN_HOURS/);
  assert.deepEqual(composeSettings([part()]).read({}), { TOKEN_HOURS: 1 });
});

test("an empty variable counts as not set", () => {
  const empty = Object.fromEntries(described.map(({ key }) => [key, ""]));
  assert.deepEqual(readSettings(empty), readSettings({}));
});

test("what is shown of the settings tells a secret only as set or not set", () => {
  const secrets = described.filter(({ secret }) => secret).map(({ key }) => key);
  assert.deepEqual(secrets.toSorted(), [
    "ALERT_DINGTALK_SECRET",
    "ALERT_DINGTALK_URL",
    "ALERT_WEBHOOK_SECRET",
    "ALERT_WEBHOOK_URL",
    "ALERT_WECOM_URL",
    "CAMPUS_APP_SECRET",
    "DATABASE_DIRECT_URL",
    "DATABASE_OWNER_URL",
    "DATABASE_URL",
    "DATA_KEY",
    "DATA_KEY_OLD",
    "DINGTALK_APP_SECRET",
    "EMPLOYEE_IDENTITY_SECRET",
    "FILES_ACCESS_KEY",
    "FILES_SECRET_KEY",
    "METRICS_TOKEN",
    "OIDC_CLIENT_SECRET",
    "OPERATOR_PASSWORD",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "PASSWORD_PRIVATE_KEY",
    "PAY_ABC_CERTIFICATE",
    "PAY_ABC_PRIVATE_KEY",
    "PAY_ALIPAY_PRIVATE_KEY",
    "PAY_ALIPAY_PUBLIC_KEY",
    "PAY_CCB_PASSWORD",
    "PAY_CCB_PUBLIC_KEY",
    "PAY_WECHAT_API_KEY",
    "PAY_WECHAT_APP_SECRET",
    "PAY_WECHAT_PRIVATE_KEY",
    "PAY_WECHAT_PUBLIC_KEY",
    "SMS_KEY_SECRET",
    "SMTP_URL",
    "STUDENT_IDENTITY_SECRET",
    "WECHAT_SECRET",
    "WECOM_APP_SECRET",
  ]);
  const settings = readSettings({
    DATABASE_URL: "postgres://u:Geheimnis@h/x",
    METRICS_TOKEN: "Geheimnis-Geheimnis",
    OPERATOR_PASSWORD: "Geheimnis",
    WECHAT_SECRET: "Geheimnis",
    WECHAT_APP_ID: "wx1",
  });
  const shown = describeSettings(settings);
  assert.doesNotMatch(JSON.stringify(shown), /Geheim/);
  assert.equal(shown.find(({ key }) => key === "METRICS_TOKEN")?.value, "set");
  assert.equal(shown.find(({ key }) => key === "PASSWORD_PRIVATE_KEY")?.value, "not set");
});

const folder = await mkdtemp(path.join(tmpdir(), "quintet-config-"));
after(() => rm(folder, { recursive: true, force: true }));

async function runCommand(args: readonly string[], settings: Record<string, string> = {}) {
  const command = startCommand(args, { DATA_DIR: path.join(folder, "data"), ...settings }, folder);
  const { code } = await command.ended;
  return { code, ...command.output() };
}

test("a .env is read, and the environment stands over it", async () => {
  const file = path.join(folder, "settings.env");
  await writeFile(file, "PORT=1234\nPATH=from-file\n");
  const environment = readEnvironment(file);
  assert.equal(environment["PORT"], "1234");
  assert.notEqual(environment["PATH"], "from-file");
  await writeFile(file, "\uFEFFPORT=1234\r\nHOST=0.0.0.0\r\n");
  assert.equal(readEnvironment(file)["PORT"], "1234");
});

test("config shows every setting and no secret, of the .env beside package.json and of no other folder", async () => {
  assert.equal(standardEnvFile, path.join(path.dirname(fileURLToPath(import.meta.resolve("../package.json"))), ".env"));
  await writeFile(path.join(folder, ".env"), "BASE_PATH=/somebody-elses\n");
  const { code, out, err } = await runCommand(["config"], { OPERATOR_PASSWORD: "Geheimnis", PORT: "1234" });
  assert.deepEqual({ code, err }, { code: 0, err: "" });
  for (const { key } of described) assert.ok(out.includes(`${key}=`), `${key} is not shown`);
  assert.match(out, /^PORT=1234$/m);
  assert.match(out, /^OPERATOR_PASSWORD=set$/m);
  assert.doesNotMatch(out, /Geheim|somebody-elses/);
});

test("settings explains every setting, also where a present one is wrong", async () => {
  const wrong = { PORT: "http", OPERATOR_PASSWORD: "Geheim1" };
  const [all, some] = await Promise.all([runCommand(["settings"], wrong), runCommand(["settings", "backup"], wrong)]);
  assert.deepEqual([all.code, all.err], [0, ""]);
  for (const { key, description } of described)
    assert.ok(all.out.includes(`${key}=`) && all.out.includes(description), key);
  assert.match(all.out, /^PORT=8080\n {4}Port to listen on/m);
  assert.deepEqual(some.out.match(/^[A-Z_]+/gm), ["BACKUP_TO", "BACKUP_TIME", "BACKUP_KEEP"]);
});

const calls: [string[], number, RegExp][] = [
  [["--help"], 0, /Usage: quintet/],
  [["serve", "nonsense"], 2, /'nonsense' is invalid[^]*reporting, attendance/],
  [["operator", "create", "a", "--services", "nonsense"], 2, /nonsense/],
];
for (const [args, expected, says] of calls) {
  test(`quintet ${args.join(" ")} ends with ${expected}`, async () => {
    const { code, out, err } = await runCommand(args);
    assert.equal(code, expected);
    assert.match(expected === 0 ? out : err, says);
    assert.doesNotMatch(out + err, /^ {4}at /m);
  });
}

test("a start with wrong settings ends with 2, names each, and shows neither their secrets nor a stack", async () => {
  const { code, out, err } = await runCommand(["serve"], {
    PORT: "http",
    OPERATOR_PASSWORD: "Geheim1",
    PASSWORD_PRIVATE_KEY: "Geheimnis",
  });
  assert.deepEqual({ code, out }, { code: 2, out: "" });
  assert.match(err, /^Invalid settings:\n {2}PORT: must be a whole number from 0 to 65535\n {2}OPERATOR_PASSWORD: /);
  assert.match(err, /^ {2}PASSWORD_PRIVATE_KEY: /m);
  assert.doesNotMatch(err, /Geheim|^ {4}at /m);
});

test("a HOST that is none, and a data key that cannot be had, end the start with 2 and the setting's name", async () => {
  const { url } = await createTestDatabase();
  const wrong = { HOST: "nonsense.invalid", DATA_KEY_FILE: path.join(folder, "none") };
  const ends = await Promise.all(
    Object.entries(wrong).map(([key, value]) => runCommand(["serve"], { PORT: "0", DATABASE_URL: url, [key]: value })),
  );
  assert.deepEqual(
    ends.map(({ code }) => code),
    [2, 2],
  );
  assert.match(
    ends[0]?.err ?? "",
    /^Invalid settings:\n {2}HOST: must be an address of this machine \((?:ENOTFOUND|EAI_AGAIN)\)\nRun "quintet settings"/,
  );
  assert.match(
    ends[1]?.err ?? "",
    /^Invalid settings:\n {2}DATA_KEY_FILE: cannot be read \(ENOENT\)\nRun "quintet settings"/,
  );
});

test("what is no folder of backups is told in a sentence", async () => {
  const { url: DATABASE_URL } = await createTestDatabase();
  const file = path.join(folder, "settings.env");
  for (const args of [
    ["backup", file],
    ["restore", path.join(file, "x")],
  ]) {
    const { code, err } = await runCommand(args, { DATABASE_URL });
    assert.deepEqual([code, err], [1, `${args[1]} is not a usable backup folder\n`]);
  }
});

test("a campus sign-on without PUBLIC_URL does not start: a caller would say where its tickets go", async () => {
  const [oidc, cas] = [
    { OIDC_ISSUER: "https://sso.example.edu", OIDC_CLIENT_ID: "quintet" },
    { CAS_URL: "https://cas.example.edu/cas" },
  ];
  const PUBLIC_URL = "https://quintet.example.edu";
  assert.deepEqual(problemsOf(oidc), ["PUBLIC_URL: is required with OIDC_ISSUER"]);
  assert.deepEqual(problemsOf(cas), ["PUBLIC_URL: is required with CAS_URL"]);
  for (const one of [oidc, cas]) assert.deepEqual(problemsOf({ ...one, PUBLIC_URL }), []);
});

test("a database that cannot be reached ends the start with 1 and one line without its password", async () => {
  const { code, err } = await runCommand(["serve"], {
    PORT: "0",
    DATABASE_URL: "postgres://u:Geheimnis@127.0.0.1:1/x",
  });
  assert.equal(code, 1);
  assert.match(err, /^[^\n]*DATABASE_URL[^\n]*\n$/);
  assert.doesNotMatch(err, /Geheim/);
});
