import { setTimeout as delay } from "node:timers/promises";
import { decrypt } from "#services/push-relay/cipher.ts";
import { keys } from "./feed.ts";
import type { Arrival } from "./ledger.ts";
import { type Push, type Receiver, startReceiver } from "./receiver.ts";

// The projects differ in the conditions, fields, form and rate that they choose. A third of them is pulled by readers
// that crash.

export const toData = (card_number: string, n: number) => ({
  card_number,
  name: "测试员",
  n,
  campus: Number(/\d+$/.exec(card_number)?.[0]) % 4,
  group: Math.floor(n / 2) % 3,
  secret: "of nobody else",
});

type Data = ReturnType<typeof toData>;

export interface ChosenProject {
  readonly name: string;
  readonly url: string;
  readonly more: Readonly<Record<string, unknown>>;
  readonly arrivals: Arrival[];
  /** Events that a reader received but whose acknowledgement may be lost. */
  readonly unheard: Set<string>;
  readonly faults: string[];
  key: string;
  expects(subject: string, eventsEach: number): number[];
}

const conditions: readonly (readonly { field: "campus" | "group"; in: number[] }[])[] = [
  [],
  [{ field: "campus", in: [1, 2] }],
  [{ field: "group", in: [1] }],
  [
    { field: "campus", in: [0, 3] },
    { field: "group", in: [0, 2] },
  ],
];

/**
 * Each project has its own receiver, since a server in Node.js accepts only one connection in each iteration of the
 * event loop.
 */
export async function startChosen(count: number, random: () => number) {
  const projects: ChosenProject[] = [];
  const receivers: Receiver[] = [];
  for (let index = 0; index < count; index++) {
    const when = conditions[index % conditions.length] ?? [];
    const receiver = await startReceiver();
    const chosen = {
      when,
      ...(index % 2 === 1 && { fields: { updateUser: ["n", "campus"] } }),
      ...(index % 5 < 3 && { form: (["json", "form", "raw"] as const)[index % 5] }),
      ...(index % 10 === 7 && { decrypted: true }),
      ...(index % 7 === 5 && { perSecond: 200 }),
    };
    const project: ChosenProject = {
      name: `chosen ${index}`,
      url: receiver.url,
      more: { ...chosen, ...(index % 3 === 2 && { pull: true }) },
      arrivals: [],
      unheard: new Set(),
      faults: [],
      key: "",
      expects: (subject, eventsEach) => expectOf(subject, eventsEach, when).map(({ n }) => n),
    };
    receiver.behave((push, response) => {
      const taken = random() < 0.97;
      note(project, readPush(push, project), taken);
      push.forget();
      if (taken) return 200;
      return random() < 0.5 ? 503 : void response.destroy();
    });
    projects.push(project);
    receivers.push(receiver);
  }
  return { projects, stop: () => Promise.all(receivers.map(({ stop }) => stop())) };
}

function expectOf(subject: string, eventsEach: number, when: (typeof conditions)[number]) {
  const expected: { n: number; left: boolean }[] = [];
  let isTold = false;
  for (let n = 1; n <= eventsEach; n++) {
    const data = toData(subject, n);
    const fits = when.every(({ field, in: values }) => values.includes(data[field]));
    if (fits || isTold) expected.push({ n, left: !fits });
    isTold = fits;
  }
  return expected;
}

interface Given {
  readonly id: string;
  readonly data: Data;
  readonly left: boolean;
}

function readPush({ headers, body }: Push, { more }: ChosenProject): Given {
  const id = String(headers["webhook-id"]);
  if (more["form"] === "form") {
    const form = new URLSearchParams(body);
    return { id, data: JSON.parse(form.get("data") ?? "") as Data, left: form.get("left") === "true" };
  }
  const { data, raw_data, left = false } = JSON.parse(body) as { data: Data; raw_data: string; left?: boolean };
  if (more["form"] !== "raw") return { id, data, left };
  const text = more["decrypted"] ? raw_data : (decrypt(raw_data, keys)?.toString() ?? "");
  return { id, data: JSON.parse(text) as Data, left };
}

function note(project: ChosenProject, { id, data, left }: Given, taken: boolean): void {
  const { card_number: subject, n } = data;
  project.arrivals.push({ id, subject, n, taken });
  const whole = toData(subject, n);
  const fields = project.more["fields"] ? { card_number: subject, n, campus: whole.campus } : whole;
  const [sorted, wanted] = [data, fields].map((one) => JSON.stringify(Object.entries(one).sort()));
  if (sorted !== wanted) project.faults.push(`${subject} ${n}: ${JSON.stringify(data)}`);
  const isLeaving = expectOf(subject, n, project.more["when"] as never).at(-1)?.left;
  if (isLeaving !== left) project.faults.push(`${subject} ${n}: left ${left}`);
}

export const leaseMs = 3000;

interface Reading {
  readonly project: ChosenProject;
  readonly address: () => string;
  readonly random: () => number;
  readonly over: AbortSignal;
}

/**
 * Pulls events until `over` is aborted. The reader sometimes crashes before it acknowledges events, and sometimes
 * acknowledges them twice.
 */
export async function readOn({ project, address, random, over }: Reading): Promise<void> {
  const ask = async (query: string, body?: object) => {
    const headers = { authorization: `Bearer ${project.key}`, "content-type": "application/json" };
    const signal = AbortSignal.timeout(10_000);
    const given = body ? { method: "PUT", body: JSON.stringify(body) } : {};
    const response = await fetch(`${address()}/wx/push/pull${query}`, { headers, signal, ...given });
    // A 503 counts as no answer, since an overloaded server refuses a call before doing anything.
    if (response.status === 503) throw new Error("overloaded");
    return (await response.json()) as { code: string; data: { cursor: string | null; events: Given[] } };
  };
  while (!over.aborted) {
    const askedMs = performance.now();
    const answer = await ask(`?limit=${1 + Math.floor(random() * 300)}&wait=1`).catch(() => undefined);
    const { cursor, events } = answer?.data ?? { cursor: null, events: [] };
    if (cursor === null) {
      await delay(20);
      continue;
    }
    const dice = random();
    if (dice < 0.1) continue;
    for (const { id, data, left = false } of events) note(project, { id, data, left }, true);
    const told = await ask("", { cursor }).catch(() => undefined);
    // Until the lease expires, no other reader can have received these events, so an acknowledgement that is refused
    // earlier does not excuse a repeat.
    const isLate = performance.now() - askedMs > leaseMs;
    if (told === undefined || (told.code !== "0" && isLate)) for (const { id } of events) project.unheard.add(id);
    if (dice > 0.9) await ask("", { cursor }).catch(() => undefined);
  }
}
