import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { toPlace } from "#test/tls-front.ts";

/** A door to a PostgreSQL that can fall silent without closing, as a network does that loses what is sent. */
export interface Front {
  /** Of the database, through the door. */
  readonly url: string;
  /** From now on nothing comes through, of those who are in (`"inside"`) or of whoever comes later too (`"all"`). */
  hush(whom: "inside" | "all"): void;
  /** From now on whoever is in is heard, and gets no answer. */
  keepAnswers(): void;
  /** Whoever comes from now on is heard again; those who were hushed stay so. */
  open(): void;
  /** From now on the door leads to another, as a proxy's does: whoever is in is cut off. */
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
