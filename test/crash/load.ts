import { send } from "#test/call.ts";
import { sampleReport } from "#test/sample-report.ts";

// The server may die at any moment, so the test records what was sent and what was acknowledged.

type Fate = "acknowledged" | "lost";

export interface Judgement {
  readonly valid: 1 | 2;
  readonly ps: string;
  /** Action and remark of the verdict's line in the audit log. They identify the verdict, since remarks are unique. */
  readonly line: string;
  readonly fate: Fate;
}

export interface BookedReport {
  readonly body: ReturnType<typeof sampleReport>;
  readonly key: string;
  id: number | undefined;
  close: Fate | undefined;
  readonly judgements: Judgement[];
}

export type Book = Map<string, BookedReport>;

export interface Client {
  /**
   * Returns the envelope's data, or undefined if the connection was lost.
   * @throws if the server refuses, or does not answer within 20 seconds
   */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<unknown>;
}

const prefix = "/reporting/informationReporting";

export const createClient = (address: string, token: string): Client => ({
  async call(method, path, body, headers = {}) {
    const signal = AbortSignal.timeout(20_000);
    const answer = await send(address, method, path, { body, token, headers, signal }).catch((error: Error) => {
      if (error.name === "TimeoutError") throw new Error("no answer within 20 s");
    });
    if (answer && !answer.json?.success) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer?.json.data;
  },
});

let count = 0;

export async function write(client: Client, book: Book, random: () => number): Promise<void> {
  const own: BookedReport[] = [];
  for (;;) {
    const report = own[Math.floor(random() * own.length)];
    const dice = random();
    const alive = await (!report || dice < 0.5
      ? submitNew(client, book, own)
      : dice < 0.65 && report.close === undefined
        ? close(client, report)
        : dice < 0.85
          ? judge(client, report, random)
          : submitAgain(client, report));
    if (!alive) return;
  }
}

async function submitNew(client: Client, book: Book, own: BookedReport[]): Promise<boolean> {
  const name = `report ${++count}`;
  const report: BookedReport = {
    body: sampleReport({
      name,
      company: `company of ${name}`,
      content: `${name} `.repeat(50).trim(),
      bProduct: [name, "second"],
    }),
    key: `key of ${name}`,
    id: undefined,
    close: undefined,
    judgements: [],
  };
  book.set(name, report);
  report.id = await submit(client, report);
  if (report.id !== undefined) own.push(report);
  return report.id !== undefined;
}

/** Returns the report's id, or undefined if the connection was lost. */
export async function submit(client: Client, { body, key }: BookedReport): Promise<number | undefined> {
  const id = await client.call("POST", `${prefix}/add`, body, { "idempotency-key": key });
  return id === undefined ? undefined : Number(id);
}

async function submitAgain(client: Client, report: BookedReport): Promise<boolean> {
  const id = await submit(client, report);
  if (id !== undefined && id !== report.id)
    throw new Error(`the key of report ${report.id} made another report, ${id}`);
  return id !== undefined;
}

async function close(client: Client, report: BookedReport): Promise<boolean> {
  const done = await client.call("DELETE", `${prefix}/close`, { itemId: report.id });
  report.close = done === undefined ? "lost" : "acknowledged";
  return done !== undefined;
}

async function judge(client: Client, report: BookedReport, random: () => number): Promise<boolean> {
  const valid = random() < 0.5 ? 1 : 2;
  const ps = `remark ${++count}`;
  const done = await client.call("DELETE", `${prefix}/${valid === 1 ? "valid" : "invalid"}`, { itemId: report.id, ps });
  const line = `${valid === 1 ? "markValid" : "markInvalid"} ${ps}`;
  report.judgements.push({ valid, ps, line, fate: done === undefined ? "lost" : "acknowledged" });
  return done !== undefined;
}
