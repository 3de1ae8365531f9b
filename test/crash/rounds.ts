import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "./inspect.ts";
import { type Book, createClient, submit, write } from "./load.ts";
import { operatorPassword, type RunningServer, startServerProcess } from "./server.ts";

export interface RoundOptions {
  readonly dataDir: string;
  /** Kept from round to round on one folder. */
  readonly book: Book;
  readonly random: () => number;
  readonly say: (line: string) => void;
}

const writersAtOnce = 8;

/** Writes at a server, kills it in the middle, and measures what the next one has. Leaves no process. */
export async function playRound({ dataDir, book, random, say }: RoundOptions): Promise<void> {
  const first = await startServerProcess(dataDir);
  const killMs = 200 + random() * 1000;
  const token = await writeUntilKilled(first, killMs, book, random);

  const second = await startServerProcess(dataDir);
  try {
    const again = createClient(second.address, token);
    const counts = await inspect(again, book);
    for (const report of book.values()) report.id ??= await submit(again, report);
    await inspect(again, book);
    say(
      `killed after ${Math.round(killMs)} ms; ready again in ${second.startMs} ms (first ${first.startMs} ms); ${JSON.stringify(counts)}`,
    );
  } catch (error) {
    throw withOutput(error, second);
  } finally {
    await second.kill();
  }
}

/** The log of the server beside the failure, since the folder is removed. */
const withOutput = (error: unknown, { output }: RunningServer): Error =>
  new Error(`${String(error)}\n${output().out}${output().err}`, { cause: error });

/** @returns the token with which it was written, which a crash must not end. */
async function writeUntilKilled(
  server: RunningServer,
  killMs: number,
  book: Book,
  random: () => number,
): Promise<string> {
  try {
    const token = await logIn(server.address);
    const client = createClient(server.address, token);
    const writing = Promise.all(Array.from({ length: writersAtOnce }, () => write(client, book, random)));
    await Promise.race([delay(killMs), writing]);
    await server.kill();
    await writing;
    return token;
  } catch (error) {
    throw withOutput(error, server);
  } finally {
    await server.kill();
  }
}

async function logIn(address: string): Promise<string> {
  const data = (await createClient(address).call("POST", "/platform/login", {
    userName: "operator",
    password: operatorPassword,
  })) as { token: string };
  return data.token;
}
