import { EventEmitter } from "node:events";
import net from "node:net";
import { connect as connectTls } from "node:tls";
import type postgres from "postgres";
import type { DatabaseTls } from "#platform/database-address.ts";
import { openFraming, readLength } from "#platform/message-framing.ts";

// postgres.js 3.4 cannot go on with a connection that the server has closed: statements that were being sent wait for
// ever, and a transaction on it ends the process with an error that nobody can take. So it is not told that a connection
// was closed. It is told of an error, which rejects what is under way, and that the server is ready for the next; which
// fails in the same way, until those who work on the connection have given up. Nobody else is sent there.

/** Where the server is. */
export type SocketAddress = { readonly path: string } | { readonly host: string; readonly port: number };

/** What postgres.js asks for a socket with. */
export interface Place {
  readonly path?: string | false;
  readonly host: readonly string[];
  readonly port: readonly number[];
}

export const toAddress = ({ path, host, port }: Place): SocketAddress =>
  path ? { path } : { host: host[0] ?? "localhost", port: port[0] ?? 5432 };

export type OpenSocket = (place: Place) => SteadySocket;
/** Makes a set of connections whose sockets are made by the one who asks. */
export type OpenConnections = (socket: OpenSocket) => postgres.Sql;

export interface SteadySocketOptions {
  /** Left out, or in the file system, it is in plain. */
  readonly tls?: DatabaseTls | undefined;
  /** Called once, when a connection that was made has been closed by the other side. */
  readonly onLost: () => void;
  /** Called once, when nothing is left of it. */
  readonly onGone: () => void;
}

const cancelRequest = 80_877_102;
const cancelRequestBytes = 16;

/** As much of a socket as postgres.js uses. */
export class SteadySocket extends EventEmitter {
  #inner: net.Socket;
  readonly #options: SteadySocketOptions;
  readonly #framing = openFraming();
  /** While the connection starts: the message that is not here to the end. */
  #begun: Buffer = Buffer.alloc(0);
  /** The names under which statements that end a transaction were prepared. */
  readonly #enders = new Set<string>();
  #connected = false;
  /** Written before it was connected. */
  #early: (readonly [chunk: Buffer, callback: (() => void) | undefined])[] = [];
  #written = false;
  #refused = false;
  /** Its owner has ended it, or it was for one message only: then it closes as any other. */
  #ended = false;
  #lost: Error | undefined;
  #failure: Error | undefined;

  constructor(address: SocketAddress, options: SteadySocketOptions) {
    super();
    this.#options = options;
    this.#inner = this.#watch(net.connect(address));
    if (options.tls && "host" in address) this.#secure(this.#inner, address.host, options.tls);
    else this.#inner.once("connect", () => this.#begin());
  }

  get readyState(): string {
    return this.#lost ? "closed" : this.#inner.readyState;
  }

  write(chunk: Buffer, callback?: () => void): boolean {
    const isFirst = !this.#written;
    this.#written = true;
    if (isFirst && chunk.length === cancelRequestBytes && chunk.readInt32BE(4) === cancelRequest) this.#ended = true;
    if (chunk[0] === parse) this.#noteEnder(chunk);
    if (this.#lost) setImmediate(() => this.#fail(this.#endsTransaction(chunk)));
    else if (this.#inner.destroyed && isFirst) this.#refuse();
    else if (!this.#connected) this.#early.push([chunk, callback]);
    else return this.#inner.write(chunk, callback);
    return true;
  }

  end(chunk: Buffer): void {
    this.#ended = true;
    this.#inner.end(chunk);
  }

  destroy(): void {
    this.#ended = true;
    this.#inner.destroy();
  }

  setKeepAlive(on: boolean, delayMs: number): void {
    this.#inner.setKeepAlive(on, delayMs);
  }

  pause(): void {
    this.#inner.pause();
  }

  resume(): void {
    this.#inner.resume();
  }

  /** Lets a lost connection be forgotten, once nothing will be sent on it any more. */
  bury(): void {
    this.emit("close", false);
  }

  #watch(socket: net.Socket): net.Socket {
    return socket
      .on("error", (error) => (this.#failure = error))
      .on("close", () => {
        if (socket === this.#inner) this.#close();
      });
  }

  /** As PostgreSQL wants it: one asks in plain, and begins when it has agreed. */
  #secure(plain: net.Socket, host: string, tls: DatabaseTls): void {
    plain.once("connect", () => plain.write(tlsRequest));
    plain.once("data", (answer: Buffer) => {
      // Whatever came along with the answer, somebody on the way may have put there.
      if (!answer.equals(agreed)) {
        plain.destroy(refusedTls());
        return;
      }
      const servername = net.isIP(host) ? {} : { servername: host };
      const secured = connectTls({ ...tls, ...servername, host, socket: plain });
      this.#inner = this.#watch(secured);
      secured.once("secureConnect", () => this.#begin());
    });
  }

  #begin(): void {
    this.#connected = true;
    this.#inner.on("data", (chunk: Buffer) => this.#take(chunk)).on("drain", () => this.emit("drain"));
    for (const [chunk, callback] of this.#early) this.#inner.write(chunk, callback);
    this.#early = [];
  }

  #take(chunk: Buffer): void {
    if (this.#framing.countReady() < 2) this.#takeAtStart(chunk);
    else this.#pass(chunk);
  }

  /** Message by message, so that no failure reaches the one query whose failure nobody takes. */
  #takeAtStart(chunk: Buffer): void {
    let rest = Buffer.concat([this.#begun, chunk]);
    while (this.#framing.countReady() < 2) {
      const length = readLength(rest);
      if (length === undefined) break;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (!this.#asksForTypes() || message[0] !== errorResponse) this.#pass(message);
    }
    const isStarted = this.#framing.countReady() >= 2;
    this.#begun = isStarted ? Buffer.alloc(0) : rest;
    if (isStarted && rest.length > 0) this.#pass(rest);
  }

  #pass(chunk: Buffer): void {
    this.#framing.follow(chunk);
    this.emit("data", chunk);
  }

  /** The first query of a connection is postgres.js's own, about types; a failure of that one would go untaken. */
  #asksForTypes(): boolean {
    return this.#framing.countReady() === 1;
  }

  #close(): void {
    if (this.#ended) this.emit("close", false);
    else if (this.#connected) this.#lose();
    else if (this.#written) this.#refuse();
    this.#options.onGone();
  }

  #lose(): void {
    this.#lost = closed(this.#failure);
    this.#options.onLost();
    const asksForTypes = this.#asksForTypes();
    if (!asksForTypes) this.emit("error", this.#lost);
    const rest = this.#framing.complete();
    if (rest.length > 0) this.emit("data", rest);
    if (asksForTypes) this.emit("data", readyOutside);
    else this.#fail(false);
  }

  #noteEnder(chunk: Buffer): void {
    if (!isEnder(chunk)) return;
    const nameEnd = chunk.indexOf(0, headBytes);
    this.#enders.add(chunk.toString("latin1", headBytes, nameEnd + 1));
  }

  #endsTransaction(chunk: Buffer): boolean {
    return isEnder(chunk) || [...this.#enders].some((name) => chunk.includes(name));
  }

  /** Rejects what was sent, and asks for more: in a transaction that has failed, or out of it. */
  #fail(isOver: boolean): void {
    this.emit("error", this.#lost);
    this.emit("data", isOver ? readyOutside : readyInFailed);
  }

  /** No connection was made. It can be told of that only when its first message has left its hands. */
  #refuse(): void {
    if (this.#refused) return;
    this.#refused = true;
    setImmediate(() => {
      this.emit("error", this.#failure ?? closed(undefined));
      this.emit("close", true);
    });
  }
}

const closed = (cause: Error | undefined): Error =>
  Object.assign(new Error("the database closed the connection", { cause }), { code: "CONNECTION_CLOSED" });

const refusedTls = (): Error =>
  Object.assign(new Error("the database does not offer TLS"), { code: "CONNECTION_REFUSED_TLS" });

/** Eight bytes: their number, and the number by which PostgreSQL knows the request. */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const agreed = Buffer.from("S");

const readyFor = (status: string): Buffer => Buffer.from(`Z\0\0\0\u0005${status}`, "latin1");
const readyOutside = readyFor("I");
const readyInFailed = readyFor("E");

const parse = "P".charCodeAt(0);
const errorResponse = "E".charCodeAt(0);
const headBytes = 5;
const isEnder = (chunk: Buffer): boolean => chunk.includes("rollback\0") || chunk.includes("commit\0");
