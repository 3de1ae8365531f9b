import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import type { TestCertificate } from "#test/certificate.ts";

const tlsRequest = "0000000804d2162f";

/**
 * A proxy that negotiates TLS in PostgreSQL's way and terminates it.
 * @param answer the response to the TLS request; only "S" accepts TLS
 */
export async function startTlsFront(url: string, { cert, key }: TestCertificate, answer = "S") {
  const open = new Set<net.Socket>();
  let guests = 0;
  const keep = (socket: net.Socket): net.Socket => {
    open.add(socket);
    return socket.on("error", () => {}).on("close", () => open.delete(socket));
  };
  const server = net.createServer((plain) => {
    keep(plain).once("data", (request: Buffer) => {
      if (request.toString("hex") !== tlsRequest) {
        plain.destroy();
        return;
      }
      plain.write(answer);
      if (answer !== "S") return;
      const guest = keep(new TLSSocket(plain, { isServer: true, cert, key }));
      guest.once("secure", () => guests++);
      const inner = keep(net.connect(toPlace(new URL(url))));
      guest.on("close", () => inner.destroy());
      guest.pipe(inner).pipe(guest);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    guests: () => guests,
    cut,
    async stop() {
      cut();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

export function toPlace({ hostname, port }: URL): net.NetConnectOpts {
  const host = decodeURIComponent(hostname);
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port || 5432) };
}
