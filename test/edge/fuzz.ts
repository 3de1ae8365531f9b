import { type RawAnswer, readAnswers } from "./answers.ts";
import { exchange, type Sending } from "./connection.ts";
import { mutateShape, type Random, split } from "./mutate.ts";
import { type Shape, shapes, smuggled } from "./shapes.ts";

export interface Edge {
  readonly url: string;
  readonly logged: readonly Record<string, unknown>[];
  readonly callers: readonly { readonly userName: string; readonly token: string }[];
}

// A connection that has not ended after this time counts as staying open; the server answers much faster.
const waitMs = 15_000;
const shotsBetweenLooks = 25;

export interface HowLong {
  readonly random: Random;
  readonly least: number;
  readonly forMs: number;
}

export async function fuzzEdge(edge: Edge, { random, least, forMs }: HowLong) {
  const endMs = performance.now() + forMs;
  const faults: string[] = [];
  let [shots, answers] = [0, 0];
  const note = async (what: string, shot: Promise<{ said: number; fault: string | undefined }>): Promise<void> => {
    const { said, fault } = await shot;
    answers += said;
    if (fault !== undefined) faults.push(`${what}: ${fault}`);
    if (++shots % shotsBetweenLooks === 0) faults.push(...(await lookAtOthers(edge)));
  };
  for (const [name, shape] of Object.entries(shapes)) await note(name, playShape(edge, shape, random));
  while ((performance.now() < endMs || shots < least + Object.keys(shapes).length) && faults.length < 20) {
    const bytes = mutateShape(random);
    await note(JSON.stringify(bytes.slice(0, 1000)), playMutated(edge, bytes, random));
  }
  const errors = edge.logged
    .filter(({ level }) => Number(level) >= 50)
    .map((line) => `the log: ${JSON.stringify(line)}`);
  return { shots, answers, faults: [...faults, ...(await lookAtOthers(edge)), ...errors] };
}

async function lookAtOthers({ url }: Edge): Promise<string[]> {
  const { status } = await fetch(`${url}/livez`);
  return status === 200 ? [] : [`the next client is answered ${status}`];
}

async function hear(url: string, sending: Omit<Sending, "waitMs">) {
  const { bytes, closed } = await exchange(url, { ...sending, waitMs });
  try {
    const answers = readAnswers(bytes);
    const worst = Math.max(0, ...answers.map(({ status }) => status));
    return { answers, closed, fault: worst >= 500 ? `it is answered ${worst}` : undefined };
  } catch (error) {
    const answers: RawAnswer[] = [];
    return { answers, closed, fault: sending.reset ? undefined : (error as Error).message };
  }
}

async function playShape(edge: Edge, { bytes, ends }: Shape, random: Random) {
  const before = edge.logged.length;
  const { answers, closed, fault } = await hear(edge.url, { pieces: split(Buffer.from(bytes, "latin1"), random) });
  const statuses = answers.map(({ status }) => status);
  const taken = edge.logged.slice(before).some(({ route }) => route === smuggled);
  const said = answers.length;
  if (fault !== undefined) return { said, fault };
  if (!closed) return { said, fault: "the connection stays open" };
  if (taken) return { said, fault: "what was hidden in it has been taken for a request" };
  return {
    said,
    fault: isAsExpected(ends, statuses) ? undefined : `it is answered ${statuses.join(", ") || "nothing"}`,
  };
}

function isAsExpected(ends: Shape["ends"], statuses: readonly number[]): boolean {
  if (typeof ends === "number") return statuses.length === ends;
  const refusals = statuses.every((status) => status >= 400);
  return refusals && (ends === "refused" ? statuses.length === 1 : statuses.length <= 1);
}

/**
 * The requests of two users precede the mutated bytes. Their answers must come first, each with only its own user's
 * name, and no later answer may contain either name.
 */
async function playMutated({ url, callers }: Edge, bytes: string, random: Random) {
  const [first, second] = random() < 0.5 ? callers : callers.toReversed();
  const own = (token = "", further = "") =>
    `GET /platform/session/own HTTP/1.1\r\nhost: x\r\nadmin_token: ${token}\r\n${further}\r\n`;
  const text = `${own(first?.token)}${own(second?.token)}${bytes}`;
  const reset = random() < 0.1;
  const mayLeave = (bytes: Buffer): boolean => bytes.includes(second?.userName ?? "");
  const { answers, fault } = await hear(url, { pieces: split(Buffer.from(text, "latin1"), random), reset, mayLeave });
  const said = answers.length;
  if (fault !== undefined || reset) return { said, fault };
  const names = answers.map(({ body }) => [first, second].filter((one) => one && body.includes(one.userName)));
  const isMixed = names.some((found, at) =>
    at < 2 ? found.length !== 1 || found[0] !== [first, second][at] : found.length > 0,
  );
  return {
    said,
    fault: said < 2 ? `only ${said} answers` : isMixed ? "an answer has what another asked for" : undefined,
  };
}
