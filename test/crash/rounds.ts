import { until } from "#test/until.ts";
import { inspect } from "./inspect.ts";
import { type Book, createClient, submit, write } from "./load.ts";
import { logIn, type RunningServer } from "./server.ts";

export interface RoundOptions {
  readonly server: RunningServer;
  readonly start: () => Promise<RunningServer>;
  readonly book: Book;
  readonly random: () => number;
  readonly say: (line: string) => void;
}

const writersAtOnce = 8;

export async function playRound({ server, start, book, random, say }: RoundOptions): Promise<RunningServer> {
  const enough = book.size + 20 + Math.floor(random() * 80);
  let next: RunningServer | undefined;
  try {
    const token = await logIn(server.address);
    const client = createClient(server.address, token);
    const writing = Promise.all(Array.from({ length: writersAtOnce }, () => write(client, book, random)));
    await Promise.race([until("enough is written", () => book.size >= enough, { everyMs: 1 }), writing]);
    await server.kill();
    await writing;
    next = await start();
    const again = createClient(next.address, token);
    const counts = await inspect(again, book);
    for (const report of book.values()) report.id ??= await submit(again, report);
    await inspect(again, book);
    say(`killed at ${enough} reports; ready again in ${next.startMs} ms; ${JSON.stringify(counts)}`);
    return next;
  } catch (error) {
    // The error includes the servers' output, since their folder is removed and cannot be inspected.
    const logs = [server, ...(next ? [next] : [])].map(({ output }) => output().out + output().err);
    await Promise.all([server.kill(), next?.kill()]);
    throw new Error(`${String(error)}\n${logs.join("")}`, { cause: error });
  }
}
