/** Follows where messages of PostgreSQL's protocol begin and end in a stream: a letter, four bytes of length, the rest. */
export interface Framing {
  follow(chunk: Buffer): void;
  /** How often the server has said that it is ready for the next query. */
  countReady(): number;
  /** Bytes that make an interrupted message whole, whatever it then says. */
  complete(): Buffer;
}

const headBytes = 5;
const leastLength = 4;
const readyForQuery = "Z".charCodeAt(0);

const readRest = (bytes: Buffer, at: number): number => Math.max(leastLength, bytes.readUInt32BE(at + 1)) - leastLength;

/** How many bytes the message at the beginning has; nothing if it is not here to the end. */
export function readLength(bytes: Buffer): number | undefined {
  if (bytes.length < headBytes) return undefined;
  const length = headBytes + readRest(bytes, 0);
  return bytes.length < length ? undefined : length;
}

export function openFraming(): Framing {
  /** Of the message at hand: the bytes of its head that are here, and how many of the rest are missing. */
  let head = Buffer.alloc(0);
  let missing = 0;
  let ready = 0;
  const begin = (bytes: Buffer, at: number): void => {
    if (bytes[at] === readyForQuery) ready++;
    missing = readRest(bytes, at);
  };
  return {
    follow(chunk) {
      let at = 0;
      while (at < chunk.length) {
        if (missing > 0) {
          const taken = Math.min(missing, chunk.length - at);
          missing -= taken;
          at += taken;
        } else if (head.length === 0 && chunk.length - at >= headBytes) {
          begin(chunk, at);
          at += headBytes;
        } else {
          const taken = chunk.subarray(at, at + headBytes - head.length);
          head = Buffer.concat([head, taken]);
          at += taken.length;
          if (head.length < headBytes) return;
          begin(head, 0);
          head = Buffer.alloc(0);
        }
      }
    },
    countReady: () => ready,
    complete() {
      if (head.length === 0) return Buffer.alloc(missing);
      const full = Buffer.concat([head, Buffer.alloc(headBytes - head.length)]);
      full[headBytes - 1] = Math.max(full[headBytes - 1] ?? 0, leastLength);
      return Buffer.concat([full.subarray(head.length), Buffer.alloc(readRest(full, 0))]);
    },
  };
}
