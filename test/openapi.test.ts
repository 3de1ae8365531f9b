import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { contracts } from "#quintet/app.ts";
import { describeApi } from "#platform/openapi.ts";

const committed = new URL("../openapi.json", import.meta.url);

test("openapi.json is what the contracts say now; `npm run openapi` writes it anew", async () => {
  const { info } = JSON.parse(await readFile(committed, "utf8")) as { info: { version: string } };
  const present = describeApi(contracts, { title: "Quintet", version: info.version, basePath: "" });
  assert.equal(await readFile(committed, "utf8"), `${JSON.stringify(present, null, 2)}\n`);
});

test("openapi.json is valid OpenAPI 3.1", async () => {
  const document = JSON.parse(await readFile(committed, "utf8")) as { openapi: string };
  assert.match(document.openapi, /^3\.1\./);
  const { valid, errors } = await new Validator().validate(document);
  assert.ok(valid, JSON.stringify(errors));
});
