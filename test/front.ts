import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { toPlace } from "#test/tls-front.ts";

/** A proxy that can go silent without closing connections, like a network that drops packets. */
export interface Front {
  readonly url: string;
  /** Stops forwarding for existing connections (`"inside"`), or for later ones too (`"all"`), but closes none. */
  hush(whom: "inside" | "all"): void;
  /** Forwards requests of existing connections to the server but keeps the server's answers back. */
  keepAnswers(): void;
  open(): void;
  /** Forwards to another server from now on and cuts existing connections. */
  lead(url: string): void;
  stop(): Promise<void>;
}

export async function startFront(url: string): Promise<Front> {
  const inside = new Set<net.Socket>();
  const answering = new Set<net.Socket>();
  let isOpen = true;
  let place = toPlace(new URL(url));
  const keep = (socket: net.Socket): net.Socket => {
    inside.add(socket);
    return socket.on("error", () => {}).on("close", () => inside.delete(socket));
  };
  const server = net.createServer((guest) => {
    keep(guest);
    if (!isOpen) return;
    const inner = keep(net.connect(place));
    answering.add(inner.on("close", () => answering.delete(inner)));
    guest.on("close", () => inner.destroy());
    inner.on("close", () => guest.destroy());
    guest.pipe(inner).pipe(guest);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { username, password, pathname } = new URL(url);
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    hush(whom) {
      for (const socket of inside) socket.unpipe().pause();
      isOpen = whom === "inside";
    },
    keepAnswers() {
      for (const socket of answering) socket.unpipe().pause();
    },
    open: () => void (isOpen = true),
    lead(url) {
      place = toPlace(new URL(url));
      for (const socket of inside) socket.destroy();
    },
    async stop() {
      for (const socket of inside) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
