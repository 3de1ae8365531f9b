import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { makeFolder } from "#test/embedded-postgres/server.ts";
import { lockDataDir } from "./data-lock.ts";

const program = `
  const { lockDataDir } = await import(process.argv[1]);
  console.log("waiting");
  process.stdin.once("data", () => {
    try {
      globalThis.lock = lockDataDir(process.argv[2]);
      console.log("has it");
    } catch (error) {
      console.log(error.message);
    }
  });
`;

test("a killed owner's lock is free at once, a stopped owner's is not", async (context) => {
  const folder = await makeFolder(context);
  const owner = await startTaker(context, folder);
  assert.equal(await owner.take(), "has it");
  owner.child.kill("SIGSTOP");
  assert.throws(() => lockDataDir(folder), /Another Quintet server/);
  owner.child.kill("SIGKILL");
  await once(owner.child, "exit");
  lockDataDir(folder).release();
});

test("of several that take a lock at the same moment one gets it", async (context) => {
  const folder = await makeFolder(context);
  for (let round = 0; round < 2; round++) {
    const takers = await Promise.all(Array.from({ length: 6 }, () => startTaker(context, folder)));
    const answers = await Promise.all(takers.map((taker) => taker.take()));
    assert.equal(answers.filter((answer) => answer === "has it").length, 1, answers.join("\n"));
    assert.equal(answers.filter((answer) => answer.startsWith("Another Quintet server")).length, 5);
    await Promise.all(takers.map((taker) => taker.kill()));
  }
});

type Taker = { child: ChildProcess; take(): Promise<string>; kill(): Promise<void> };

async function startTaker(context: TestContext, folder: string): Promise<Taker> {
  const source = new URL("./data-lock.ts", import.meta.url).href;
  const args = ["--input-type=module", "-e", program, source, folder];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  context.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, "waiting");
  return {
    child,
    async take() {
      child.stdin.write("go\n");
      return `${(await lines.next()).value}`;
    },
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
