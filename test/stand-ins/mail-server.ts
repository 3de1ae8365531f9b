import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly wasEncrypted: boolean;
}

export interface MailServerStandIn {
  readonly port: number;
  readonly mails: ReceivedMail[];
  close(): Promise<void>;
}

/** If `cert` is given, the server offers STARTTLS, or uses TLS from the start if `secure` is true too. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServerStandIn> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.cert === undefined ? ["STARTTLS"] : [],
    onData(stream, { envelope, secure }, done) {
      const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
      const to = envelope.rcptTo.map(({ address }) => address);
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        mails.push({ from, to, raw: Buffer.concat(chunks).toString(), wasEncrypted: secure });
        done();
      });
    },
    ...options,
  });
  // A client that rejects the certificate disconnects during the handshake, which is not an error of the test.
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
