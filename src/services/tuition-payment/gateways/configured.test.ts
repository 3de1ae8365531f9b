import assert from "node:assert/strict";
import { test } from "node:test";
import { SettingsError } from "#platform/process/compose-settings.ts";
import { readSettings } from "#quintet/settings.ts";
import { checkServices } from "#quintet/app.ts";
import { openSimulatedBooks } from "#test/stand-ins/simulated-books.ts";
import { createGateways, findSimulatedScope } from "./configured.ts";

const tools = { clock: Date.now, simulatedBooks: openSimulatedBooks(), toSimulatedPage: (orderNo: string) => orderNo };
const namesOf = (environment: Record<string, string>) => [
  ...createGateways(readSettings(environment), tools).all.keys(),
];

test("with nothing set there is the gateway that pretends, alone, for this machine alone", () => {
  assert.deepEqual(namesOf({}), ["simulated"]);
  assert.equal(findSimulatedScope(readSettings({})), "machine");
});

test("it is not where others come, nor with a database of one's own", () => {
  for (const environment of [{ HOST: "0.0.0.0" }, { DATABASE_URL: "postgres://127.0.0.1/quintet" }])
    assert.deepEqual(namesOf(environment), []);
});

test("PAY_SIMULATED=1 has it everywhere, and in production stops the start, naming itself", () => {
  assert.deepEqual(namesOf({ HOST: "0.0.0.0", PAY_SIMULATED: "1" }), ["simulated"]);
  const production = { NODE_ENV: "production", STUDENT_IDENTITY: "header" };
  assert.deepEqual(namesOf(production), []);
  assert.doesNotThrow(() => checkServices(readSettings(production), ["tuition-payment"]));
  const simulated = readSettings({ ...production, PAY_SIMULATED: "1" });
  assert.deepEqual(createGateways(simulated, tools).simulated, undefined);
  assert.throws(
    () => checkServices(simulated, ["tuition-payment"]),
    (error: unknown) => error instanceof SettingsError && error.message.startsWith("PAY_SIMULATED: "),
  );
});
