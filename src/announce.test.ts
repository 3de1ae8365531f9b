import assert from "node:assert/strict";
import { test } from "node:test";
import { serviceNames } from "#quintet/app.ts";
import { readSettings } from "#quintet/settings.ts";
import packageFile from "../package.json" with { type: "json" };
import { describeStart } from "./announce.ts";

const started = {
  address: "http://127.0.0.1:8080",
  console: undefined,
  database: "a database",
  firstOperator: { kind: "existed" },
  unsealed: false,
  warnings: ["somebody has to look"],
} as const;
const say = (environment: Record<string, string>, services = serviceNames) =>
  describeStart(readSettings(environment), started, services);
const openOf = (...told: Parameters<typeof say>) =>
  say(...told)
    .find((line) => line.includes("OPEN TO ANYONE"))
    ?.match(/operations of (.*) without/)?.[1];

test("services are called open only where something of theirs is open, and they are served", () => {
  assert.equal(openOf({}), undefined);
  const every = { UNDOCUMENTED_AUTH: `open:${serviceNames.join(",")}` };
  assert.equal(openOf(every), "attendance, push-relay, disease-command");
  assert.equal(openOf({ UNDOCUMENTED_AUTH: "open:reporting,tuition-payment" }), undefined);
  assert.equal(openOf(every, ["reporting", "push-relay"]), "push-relay");
});

test("a service that there is not is refused by its name", () => {
  assert.throws(() => say({}, ["reporting", "library"]), /unknown service library/);
});

test("it is told that students are not served, or that anybody is believed", () => {
  const students = (identity: string, services?: Parameters<typeof say>[1]) =>
    say({ STUDENT_IDENTITY: identity }, services).filter((line) => line.includes("students"));
  assert.match(students("")[0] ?? "", /disabled: STUDENT_IDENTITY is not set/);
  assert.match(students("demo")[0] ?? "", /card number without verification/);
  assert.deepEqual([...students("header"), ...students("", ["reporting"])], []);
});

test("what somebody should look after stands at the end", () => {
  assert.equal(say({}).at(-1), "  WARNING           somebody has to look");
});

test("what builds the console is a script that there is", () => {
  const [, script = ""] = /npm run (\w+)/.exec(say({}).join("\n")) ?? [];
  assert.ok(script in packageFile.scripts, script);
});
