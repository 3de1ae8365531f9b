import assert from "node:assert/strict";
import { test } from "node:test";
import { gather } from "./gather.ts";

/** Notes what is asked together, and answers when it is let. */
function openAsker() {
  const asked: (readonly number[])[] = [];
  const answers: PromiseWithResolvers<readonly string[]>[] = [];
  const find = gather<number, string>((questions) => {
    const answer = Promise.withResolvers<readonly string[]>();
    asked.push(questions);
    answers.push(answer);
    return answer.promise;
  });
  return { asked, answers, find };
}

test("who asks while others are answered is asked for with the next, and never answered by what had begun", async () => {
  const { asked, answers, find } = openAsker();
  const first = find(1);
  const [second, third] = [find(1), find(3)];
  assert.deepEqual(asked, [[1]]);
  answers[0]?.resolve(["old"]);
  assert.equal(await first, "old");
  assert.deepEqual(asked, [[1], [1, 3]]);
  answers[1]?.resolve(["new", "other"]);
  assert.deepEqual(await Promise.all([second, third]), ["new", "other"]);
  const last = find(4);
  answers[2]?.resolve(["four"]);
  assert.equal(await last, "four");
});

test("a failure is that of those who were asked for together, and the next are asked for", async () => {
  const { asked, answers, find } = openAsker();
  const [first, second] = [find(1), find(2)];
  answers[0]?.reject(new Error("lost"));
  await assert.rejects(first, { message: "lost" });
  answers[1]?.resolve(["two"]);
  assert.equal(await second, "two");
  assert.deepEqual(asked, [[1], [2]]);
});

test("of a crowd no more than 200 are asked for at once", async () => {
  const sizes: number[] = [];
  const find = gather<number, number>(async (questions) => {
    sizes.push(questions.length);
    return questions;
  });
  const crowd = Array.from({ length: 500 }, (_, n) => n);
  assert.deepEqual(await Promise.all(crowd.map(find)), crowd);
  assert.deepEqual(sizes, [1, 200, 200, 99]);
});
