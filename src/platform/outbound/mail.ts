import { createTransport } from "nodemailer";

/** @throws {Error} if the SMTP URL is invalid, or would send a password unencrypted */
export function readMailServer(url: string) {
  const { protocol, hostname, port, username, password, searchParams, pathname } = new URL(url);
  const secure = protocol === "smtps:";
  const isClear = searchParams.get("tls") === "none";
  const isKnown = (secure || protocol === "smtp:") && hostname !== "" && /^\/?$/.test(pathname);
  if (!isKnown || (isClear && (secure || username !== ""))) throw new Error("invalid mail server URL");
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isClear,
    ignoreTLS: isClear,
    ...(username !== "" && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  };
}

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly id: string;
}

export interface MailOutcome {
  /** Null if the server accepted the mail for all recipients. */
  readonly error: string | null;
  /** At most 500 characters of the server's last response; null if there was none. */
  readonly said: string | null;
  readonly reply?: number | undefined;
  /** True if the failure concerns, or may concern, this mail and not only the connection. */
  readonly begun?: boolean;
}

export interface MailOptions {
  readonly ca?: string;
  readonly timeoutMs?: number;
}

const mostSaid = 500;

interface MailError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
  readonly syscall?: string;
}

const beforeMail: ReadonlySet<string> = new Set(["EDNS", "ETLS", "EAUTH", "EENVELOPE"]);

export async function sendMail(
  server: ReturnType<typeof readMailServer>,
  { from, to, subject, text, id }: Mail,
  { ca, timeoutMs = 15_000 }: MailOptions = {},
): Promise<MailOutcome> {
  const transport = createTransport({
    ...server,
    tls: { rejectUnauthorized: true, ...(ca !== undefined && { ca }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const messageId = `<${id}@${from.slice(from.indexOf("@") + 1)}>`;
    const { response, rejected } = await transport.sendMail({ from, to: [...to], subject, text, messageId });
    const error = rejected.length === 0 ? null : "the mail server rejected a recipient";
    return { error, said: response.slice(0, mostSaid) };
  } catch (error) {
    // `error` contains only the error's codes, because the error's text may quote the server, which only the operator
    // may see.
    const { code = "", responseCode, response, command, syscall, message } = error as MailError;
    const name = code.replaceAll(/[^A-Z0-9_]/g, "").slice(0, 40) || "invalid response";
    return {
      error: responseCode === undefined ? `mail not accepted, ${name}` : `SMTP ${responseCode}, ${name}`,
      said: response?.slice(0, mostSaid) ?? null,
      reply: responseCode,
      begun:
        responseCode === undefined
          ? !beforeMail.has(code) && syscall !== "connect" && !/^(?:Connection timeout|Greeting never)/.test(message)
          : /^(?:RCPT TO|DATA)/.test(command ?? ""),
    };
  } finally {
    transport.close();
  }
}
