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
