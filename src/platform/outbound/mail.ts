import { createTransport } from "nodemailer";

/** @throws {Error} for what is no address of a mail server, or would send a password in clear. */
export function readMailServer(url: string) {
  const { protocol, hostname, port, username, password, searchParams, pathname } = new URL(url);
  const secure = protocol === "smtps:";
  const isClear = searchParams.get("tls") === "none";
  const isKnown = (secure || protocol === "smtp:") && hostname !== "" && /^\/?$/.test(pathname);
  if (!isKnown || (isClear && (secure || username !== ""))) throw new Error("no address of a mail server");
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    // TLS from the first byte, or by STARTTLS, without which nothing is sent; in clear where that is asked for.
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
  /** Tells a mail that is sent again from another: without the brackets and the host. */
  readonly id: string;
}

/** What came of a mail. The error is null once the server has taken it for everybody. */
export interface MailOutcome {
  readonly error: string | null;
  /** The server's last words, at most 500 characters; null when it said nothing. */
  readonly said: string | null;
  /** The server's number where it was refused, such as 550. */
  readonly reply?: number | undefined;
  /** It was about this mail and whom it is for, or nobody knows whether it was: not about the connection to the server. */
  readonly begun?: boolean;
}

export interface MailOptions {
  /** Certificates that count beside those of the system, as PEM. */
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

/** Sends a mail by the server, whose certificate must be good for its name; never throws. */
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
    const error = rejected.length === 0 ? null : "the mail server refused a recipient";
    return { error, said: response.slice(0, mostSaid) };
  } catch (error) {
    // By its names: its text can hold what the server sent, which is for the operator alone.
    const { code = "", responseCode, response, command, syscall, message } = error as MailError;
    const name = code.replaceAll(/[^A-Z0-9_]/g, "").slice(0, 40) || "no usable answer";
    return {
      error: responseCode === undefined ? `no mail was taken, ${name}` : `SMTP ${responseCode}, ${name}`,
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
