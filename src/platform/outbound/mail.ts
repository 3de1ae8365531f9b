import { createTransport } from "nodemailer";

/** A plain mail address, without a name before it. */
export const isMailAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s@,;:<>"'()[\]\\]{1,64}@[^\s@,;:<>"'()[\]\\]+$/.test(text);

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** "wrapped": TLS from the first byte; "started": by STARTTLS, or nothing is sent; "none" in clear. */
  readonly tls: "wrapped" | "started" | "none";
  readonly user: string | undefined;
  readonly password: string;
}

/** @throws {Error} for what is no address of a mail server, or would send a password in clear. */
export function readMailServer(url: string): MailServer {
  const { protocol, hostname, port, username, password, searchParams, pathname } = new URL(url);
  const wrapped = protocol === "smtps:";
  const isClear = searchParams.get("tls") === "none";
  const isKnown = (wrapped || protocol === "smtp:") && hostname !== "" && /^\/?$/.test(pathname);
  if (!isKnown || (isClear && (wrapped || username !== ""))) throw new Error("no address of a mail server");
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (wrapped ? 465 : 587) : Number(port),
    tls: wrapped ? "wrapped" : isClear ? "none" : "started",
    user: username === "" ? undefined : decodeURIComponent(username),
    password: decodeURIComponent(password),
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
}

export interface MailOptions {
  /** Certificates that count beside those of the system, as PEM. */
  readonly ca?: string;
  readonly timeoutMs?: number;
}

const mostSaid = 500;

/** Sends a mail by the server, whose certificate must be good for its name; never throws. */
export async function sendMail(
  server: MailServer,
  { from, to, subject, text, id }: Mail,
  { ca, timeoutMs = 15_000 }: MailOptions = {},
): Promise<MailOutcome> {
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.tls === "wrapped",
    requireTLS: server.tls === "started",
    ignoreTLS: server.tls === "none",
    ...(server.user !== undefined && { auth: { user: server.user, pass: server.password } }),
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
    const { code = "", responseCode, response } = error as { code?: string; responseCode?: number; response?: string };
    const name = code.replaceAll(/[^A-Z0-9_]/g, "").slice(0, 40) || "no usable answer";
    return {
      error: responseCode === undefined ? `no mail was taken, ${name}` : `SMTP ${responseCode}, ${name}`,
      said: response?.slice(0, mostSaid) ?? null,
    };
  } finally {
    transport.close();
  }
}
