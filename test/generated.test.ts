import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { listGenerated } from "#scripts/generated.ts";

test("generated files are what the code says now; `npm run generate` writes them anew", async () => {
  for (const { file, text } of listGenerated()) assert.equal(await readFile(file, "utf8"), text, file.pathname);
});

test("openapi.json is valid OpenAPI 3.1", async () => {
  const document = JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8")) as {
    openapi: string;
  };
  assert.match(document.openapi, /^3\.1\./);
  const { valid, errors } = await new Validator().validate(document);
  assert.ok(valid, JSON.stringify(errors));
});
