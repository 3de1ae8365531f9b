import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import * as z from "zod";
import { mapSettings } from "#platform/contract/map-settings.ts";
import { isNetwork } from "#platform/contract/networks.ts";
import { isPasswordLength } from "#platform/contract/password-length.ts";
import { readPrivateKey } from "#platform/contract/private-key.ts";
import {
  between,
  commaList,
  keepDays,
  oneOf,
  secret,
  secretOf,
  wholeNumber,
} from "#platform/contract/setting-types.ts";
import { signInSettings } from "#platform/contract/sign-in-settings.ts";
import { readDatabaseAddress } from "#platform/database/index.ts";
import { scannerAddress } from "#platform/files/scanner.ts";
import { fileSettings } from "#platform/files/bucket/settings.ts";
import { messagingSettings } from "#platform/messaging/index.ts";
import { noticeSettings } from "#platform/messaging/notice-settings.ts";
import { outboundSettings } from "#platform/outbound/settings.ts";
import { sealingSettings } from "#platform/sealing/settings.ts";
import { signOnSettings } from "#platform/sign-on/settings.ts";
import { tracingSettings } from "#platform/tracing/settings.ts";

function isTimeZone(name: string): boolean {
  // PostgreSQL reads the sign of an offset such as +08:00 the other way round.
  if (/^[+-]/.test(name)) return false;
  try {
    // Intl accepts names that Temporal refuses, such as CST, and Temporal some that Intl refuses.
    const { epochMilliseconds } = Temporal.Now.zonedDateTimeISO(name);
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(epochMilliseconds) !== "";
  } catch {
    return false;
  }
}

export const listOpenServices = ({ UNDOCUMENTED_AUTH: text }: Pick<Settings, "UNDOCUMENTED_AUTH">): readonly string[] =>
  text === "token" ? [] : text.slice("open:".length).split(",");

const databaseUrl = (description: string) =>
  secret(description).check(({ value: url, issues }) => {
    try {
      if (url !== undefined) readDatabaseAddress(url);
    } catch (error) {
      issues.push({ code: "custom", input: url, message: (error as Error).message });
    }
  });

export function checkDatabaseSettings(
  { DATABASE_URL, ...beside }: Pick<Settings, "DATABASE_URL" | "DATABASE_DIRECT_URL" | "DATABASE_OWNER_URL">,
  context: z.RefinementCtx,
): void {
  if (DATABASE_URL !== undefined) return;
  for (const name of ["DATABASE_DIRECT_URL", "DATABASE_OWNER_URL"] as const)
    if (beside[name] !== undefined)
      context.addIssue({ code: "custom", path: [name], message: "requires DATABASE_URL", input: undefined });
}

const serverSettings = {
  PORT: wholeNumber(0, 65_535, 8080).describe("Port to listen on; 0 picks a free one"),
  HOST: z.string().min(1).default("127.0.0.1").describe("Address to listen on; 0.0.0.0 for all interfaces"),
  BASE_PATH: z
    .string()
    .regex(/^(?:\/[A-Za-z0-9._~-]+)*$/, {
      error: "must be empty or a path that starts with / and does not end with /, such as /quintet",
    })
    .default("")
    .describe("Prefix of every path, for a proxy that also serves other applications"),
  PUBLIC_URL: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:\/\/[^/?#@]+(?:\/[^?#]*)?$/i.test(text), {
      error: "must be an http or https URL without query, such as https://api.example.edu",
    })
    .transform((text) => text.replace(/\/+$/, ""))
    .optional()
    .describe(
      "Public address of this server, without BASE_PATH, used in links; if not set, links in responses are paths without a host",
    ),
  DATA_DIR: z.string().min(1).default("./data").describe("Folder for the embedded database and the uploaded files"),
  DATABASE_URL: databaseUrl(
    "Address of your PostgreSQL 14 to 18 (postgres://…, with sslmode for TLS). Only one host is allowed: use a proxy for several. If not set, the embedded PostgreSQL is used",
  ),
  DATABASE_DIRECT_URL: databaseUrl(
    "Address of the same PostgreSQL without a pooler, for jobs, LISTEN, migrations and imports; required if DATABASE_URL uses PgBouncer in transaction mode. If not set, DATABASE_URL is used",
  ),
  DATABASE_OWNER_URL: databaseUrl(
    "Address of the same PostgreSQL with the role that owns the tables, for migrations and restores; the role of DATABASE_URL can then only read the audit log and append to it. If not set, the role of DATABASE_URL can also change the log",
  ),
  DATABASE_POOL: wholeNumber(2, 200, 10).describe("Database connections per process"),
  OPERATOR_PASSWORD: secret(
    "Password of the operator created at the first start; if not set, a random password is generated and shown once",
  ).refine((text) => text === undefined || isPasswordLength(text), { error: "must have 8 to 128 characters" }),
  TIME_ZONE: z
    .string()
    .default("Asia/Shanghai")
    .refine(isTimeZone, { error: "must be an IANA time zone, such as Asia/Shanghai" })
    .describe("Time zone of all times in requests and responses"),
  STATUS_STYLE: oneOf(["real", "always-200"], "real").describe(
    "HTTP status of failed requests. real: an error status; always-200: status 200, for old clients that read only the envelope",
  ),
  INPUT_STYLE: oneOf(["strict", "lenient"], "strict").describe(
    "strict, or lenient for old pages: lenient also accepts numbers as text, text as numbers, undefined in queries and other time formats, and reduces a pageSize above 1000 to 1000",
  ),
};

const limitSettings = {
  TOKEN_HOURS: wholeNumber(1, 720, 12).describe("Hours after which a session expires"),
  TOKEN_IDLE_MINUTES: wholeNumber(0, 720, 0).describe(
    "Minutes of inactivity after which a session outside the console ends (accurate to the minute); 0: only TOKEN_HOURS applies",
  ),
  CONSOLE_IDLE_MINUTES: wholeNumber(0, 720, 30).describe(
    "Minutes of inactivity after which a console session ends (accurate to the minute); 0: only TOKEN_HOURS applies",
  ),
  SESSIONS_PER_ACCOUNT: wholeNumber(0, 1000, 50).describe(
    "Maximum number of concurrent sessions of an account; a further login ends the least recently used session. 0: no limit",
  ),
  RATE_LIMIT_OPEN: wholeNumber(1, 1_000_000_000, 60).describe(
    "Maximum number of public submissions, uploads and queries per client address and minute",
  ),
  RATE_LIMIT_LOGIN: wholeNumber(1, 1_000_000_000, 20).describe(
    "Maximum number of login attempts per client address and minute",
  ),
  MAX_CONNECTIONS: wholeNumber(10, 100_000, 2000).describe(
    "Maximum number of concurrent client connections per process",
  ),
  IDLE_SECONDS: wholeNumber(1, 3600, 30).describe(
    "Seconds after which the connection of a client that sends or receives too slowly is closed",
  ),
  MAX_UPLOAD_MB: wholeNumber(1, 1024, 20).describe("Maximum size of an uploaded file in MiB"),
  UPLOAD_SCANNER: z
    .string()
    .regex(scannerAddress, { error: "must be clamd://host:port or the path of clamd's socket" })
    .optional()
    .describe(
      "Address of the clamd that scans every upload before it is stored, as clamd://host:port or the path of its socket; if not set, uploads are not scanned",
    ),
  MAX_WORKBOOK_MB: wholeNumber(1, 4096, 200).describe("Maximum size of an imported workbook in MiB"),
  UPLOAD_QUOTA_GB: wholeNumber(1, 100_000, 20).describe(
    "Quota for all uploaded files in GiB, including uploads in progress",
  ),
  UPLOAD_SERVICE_QUOTA_GB: between(1, 100_000)
    .optional()
    .describe("Quota for the uploaded files of each service in GiB; default: half of UPLOAD_QUOTA_GB"),
  DISK_RESERVE_MB: wholeNumber(16, 100_000_000, 512).describe(
    "Minimum free space on the disk of DATA_DIR in MiB; below it, uploads are refused",
  ),
  TRUSTED_PROXIES: commaList
    .refine((list) => list.every(isNetwork), {
      error: "must be addresses or networks separated by commas, such as 127.0.0.1,10.0.0.0/8",
    })
    .describe("Proxies whose X-Forwarded-For is trusted: addresses or networks, separated by commas"),
  CORS_ORIGINS: commaList
    .refine((list) => list.every((text) => URL.parse(text)?.origin === text), {
      error: "must be origins separated by commas, such as https://console.example.edu",
    })
    .describe("Other origins whose web pages may call the API, separated by commas"),
  PASSWORD_PRIVATE_KEY: secretOf(
    readPrivateKey,
    "the PEM of an RSA private key of at least 1024 bits, with line breaks or \\n between its lines",
    "Private RSA key (PEM, at least 1024 bits) for which old front ends encrypt passwords; if not set, a key is generated",
  ),
  AUDIT_LOG: z
    .string()
    .regex(/^(?:stdout|file:\/.+|syslog\+tls:\/\/[^/:@\s]+(?::\d{1,5})?)$/, {
      error: "must be stdout, file:/path or syslog+tls://host:port",
    })
    .optional()
    .describe("Additional destination of audit entries, as JSON lines: stdout, file:/path or syslog+tls://host:6514"),
  AUDIT_KEEP_DAYS: keepDays(180).describe("Days for which audit entries are kept; default: forever"),
  NOTICE_KEEP_DAYS: wholeNumber(1, 36_500, 180).describe(
    "Days for which the log of notices is kept (kind, channel and outcome, without text)",
  ),
  METRICS_TOKEN: secret("Bearer token for reading /metrics; operators can read /metrics without it").refine(
    (text) => text === undefined || text.length >= 16,
    { error: "must have at least 16 characters" },
  ),
  LOG_LEVEL: oneOf(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "info").describe(
    "Minimum level of log messages",
  ),
  JOB_CONCURRENCY: wholeNumber(1, 100, 4).describe(
    "Maximum number of background jobs that a process runs at the same time",
  ),
  NODE_ENV: z
    .string()
    .default("")
    .describe("production: the server refuses to start with settings that are only safe on a developer's machine"),
};

export const platformSettings = (services: readonly string[]) => ({
  ...serverSettings,
  UNDOCUMENTED_AUTH: z
    .string()
    .regex(new RegExp(`^(?:token|open:(?:${services.join("|")})(?:,(?:${services.join("|")}))*)$`), {
      error: `must be "token", or "open:" followed by one or more of ${services.join(", ")}, separated by commas`,
    })
    .default("token")
    .describe(
      "open:<service>,… allows calls without a token to operations for which the interface documents specify no header; only for closed networks",
    ),
  ...limitSettings,
  ...sealingSettings,
  ...signInSettings,
  ...fileSettings,
  ...mapSettings,
  ...messagingSettings,
  ...outboundSettings,
  ...noticeSettings,
  ...signOnSettings(services),
  ...tracingSettings,
});

export type Settings = z.output<z.ZodObject<ReturnType<typeof platformSettings>>>;

/** The file is beside package.json and not in the working directory, which may belong to another user. */
export const standardEnvFile = fileURLToPath(new URL("../../../.env", import.meta.url));

export function readEnvironment(envFile = standardEnvFile): Record<string, string | undefined> {
  // A byte order mark would become part of the first setting's name.
  const fromFile = existsSync(envFile) ? parseEnv(readFileSync(envFile, "utf8").replace(/^\uFEFF/, "")) : {};
  return { ...fromFile, ...process.env };
}
