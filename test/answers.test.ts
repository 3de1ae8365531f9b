import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { under } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { compileAnswerCheck } from "./answers.ts";

const read = (path: string, data: z.ZodType) =>
  under("/sample").get(path, {
    summary: "Read",
    access: { who: "administrator" },
    data,
    problems: ["notFound"],
  });

const check = compileAnswerCheck([
  {
    name: "sample",
    title: { zh: "示例", en: "Sample" },
    about: { zh: "示例", en: "Sample" },
    problems: sharedProblems,
    endpoints: {
      one: read("/:id", z.object({ id: z.int(), parts: z.array(z.object({ name: z.string() })) })),
    },
  },
]);

const answer = (status: number, code: string, data: unknown): string[] =>
  check("GET", "/sample/1?more=1", {
    status,
    text: JSON.stringify({ success: code === "0", message: "said", code, data }),
  });

test("an answer is what its operation's contract says, and nothing more", () => {
  assert.deepEqual(answer(200, "0", { id: 1, parts: [{ name: "a" }] }), []);
  for (const wrong of [{ id: 1, parts: [{ name: "a", secret: "b" }] }, { id: "1", parts: [] }, { id: 1 }, null])
    assert.equal(answer(200, "0", wrong).length, 1, JSON.stringify(wrong));
  assert.equal(answer(201, "0", { id: 1, parts: [] }).length, 1);
});

test("a failure is one that the operation's description has, or comes with 200 where every answer does", () => {
  assert.deepEqual(answer(404, "10005", null), []);
  assert.deepEqual(answer(200, "10005", null), []);
  assert.equal(answer(500, "10005", null).length, 1);
  assert.equal(answer(404, "10014", null).length, 1);
});
