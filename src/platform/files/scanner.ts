import { createReadStream } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { Problem } from "#platform/contract/problem.ts";

// This is clamd's INSTREAM protocol (clamd(8)): the length precedes each chunk, an empty chunk ends the stream, and
// clamd answers with one line.

const standardPort = 3310;
const idleTimeoutMs = 60_000;

export const scannerAddress = /^(?:clamd:\/\/(?:[A-Za-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?|\/\S+)$/;

function open(scanner: string) {
  if (scanner.startsWith("/")) return connect(scanner);
  const { hostname, port } = new URL(scanner);
  return connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || standardPort) });
}

async function* frame(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from("zINSTREAM\0");
  for await (const piece of pieces) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(piece.length);
    yield length;
    yield piece;
  }
  yield Buffer.alloc(4);
}

/**
 * Whether clamd finds a virus in the file.
 * @throws {Problem} outsideFailed if clamd gives no verdict
 */
export async function isInfected(scanner: string, file: string): Promise<boolean> {
  const socket = open(scanner);
  socket.setTimeout(idleTimeoutMs, () => socket.destroy(new Error("no response in time")));
  try {
    const [answer] = await Promise.all([text(socket), pipeline(frame(createReadStream(file)), socket, { end: false })]);
    const verdict = answer.replace(/\0$/, "");
    if (verdict.endsWith(" FOUND")) return true;
    if (verdict === "stream: OK") return false;
    throw new Error(verdict);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const detail = {
      zh: "文件扫描服务暂时不可用，请稍后再试",
      en: "the file scanner is temporarily unavailable; try again later",
    };
    throw new Problem("outsideFailed", { detail, why: `file scanner: ${code ?? message}` });
  } finally {
    socket.destroy();
  }
}
