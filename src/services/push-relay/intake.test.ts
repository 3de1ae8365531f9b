import assert from "node:assert/strict";
import { test } from "node:test";
import type { Acceptance, TrustedEvent } from "./event-store.ts";
import { openIntake } from "./intake.ts";

const about = (identity: string, data = "{}"): TrustedEvent => ({
  application: { id: 1, version: "1" },
  event: {
    schoolCode: "1",
    event: "updateUser",
    kind: "person",
    identity,
    hash: Buffer.from(data),
    data,
    name: null,
    updatedAt: null,
    removes: false,
  },
});

/** A store that keeps each statement waiting until it is told how it ends. */
function openStore() {
  const statements: { events: string[]; end: (error?: Error) => void }[] = [];
  let called = () => {};
  const accept = (trusted: readonly TrustedEvent[]): Promise<Acceptance[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<Acceptance[]>();
    const events = trusted.map(({ event }) => event.identity + event.data);
    const end = (error?: Error) => (error ? reject(error) : resolve(trusted.map(() => "stored" as const)));
    statements.push({ events, end });
    called();
    return promise;
  };
  /** The statement of that number, as soon as there is one. */
  const statement = async (index: number) => {
    if (statements.length <= index) await new Promise<void>((resolve) => (called = resolve));
    return statements[index] ?? assert.fail();
  };
  return { accept, statement, statements };
}

test("what comes meanwhile shares a statement; two about one subject do not, and keep their order", async () => {
  const { accept, statement } = openStore();
  const intake = openIntake(accept);
  const answers = [intake.add(about("a", "1")), intake.add(about("b", "1"))];
  const first = await statement(0);
  assert.deepEqual(first.events, ["a1", "b1"]);
  answers.push(...[about("c", "1"), about("a", "2"), about("a", "3"), about("d", "1")].map((one) => intake.add(one)));
  first.end();
  const second = await statement(1);
  assert.deepEqual(second.events, ["c1", "a2", "d1"]);
  second.end();
  const third = await statement(2);
  assert.deepEqual(third.events, ["a3"]);
  third.end();
  assert.deepEqual(await Promise.all(answers), Array(6).fill("stored"));
});

test("one that fails takes no other along, and is told of it", async () => {
  const { accept, statement } = openStore();
  const intake = openIntake(accept);
  const good = intake.add(about("a"));
  const bad = intake.add(about("b"));
  (await statement(0)).end(new Error("one of them"));
  (await statement(1)).end();
  (await statement(2)).end(new Error("this one"));
  assert.equal(await good, "stored");
  await assert.rejects(bad, /this one/);
  const next = intake.add(about("b"));
  (await statement(3)).end();
  assert.equal(await next, "stored");
});

test("a statement that waits for a lock holds up nobody else, but for its own subjects", async () => {
  const { accept, statement, statements } = openStore();
  const intake = openIntake(accept);
  const held = intake.add(about("a", "1"));
  const first = await statement(0);
  const behind = intake.add(about("a", "2"));
  const other = intake.add(about("b", "1"));
  const second = await statement(1);
  assert.deepEqual(second.events, ["b1"]);
  second.end();
  assert.equal(await other, "stored");
  assert.equal(statements.length, 2);
  first.end();
  assert.equal(await held, "stored");
  (await statement(2)).end();
  assert.equal(await behind, "stored");
});

test("a statement takes no more than 64, and no more than about a megabyte", async () => {
  const { accept, statement } = openStore();
  const intake = openIntake(accept);
  const many = Array.from({ length: 70 }, (_, index) => intake.add(about(String(index))));
  const first = await statement(0);
  assert.equal(first.events.length, 64);
  first.end();
  const second = await statement(1);
  assert.equal(second.events.length, 6);
  const large = [1, 2, 3].map((index) => intake.add(about(String(index), "x".repeat(600_000))));
  second.end();
  const third = await statement(2);
  assert.equal(third.events.length, 2);
  third.end();
  (await statement(3)).end();
  await Promise.all([...many, ...large]);
});
