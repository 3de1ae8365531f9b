import assert from "node:assert/strict";
import { test } from "node:test";
import { toUploadPath } from "./upload-path.ts";

const here = "http://127.0.0.1:8080";
const outside = "https://api.example.edu";
const name = "0123456789abcdef0123456789abcdef.png";
const path = (reference: string) => toUploadPath(reference, [here, outside]);

test("an upload is known by its path, its address here and its public one, whatever prefix they have", () => {
  const file = `/reporting/file/${name}`;
  for (const reference of [
    file,
    `/quintet${file}`,
    `${here}${file}`,
    `${outside}/quintet${file}?download=1#x`,
    `HTTP://127.0.0.1:8080${file}`,
  ])
    assert.equal(path(reference), file, reference);
  assert.equal(path(`/disease-command/file/${name}`), `/disease-command/file/${name}`);
});

test("what leads to another host, or to no upload, is none", () => {
  for (const reference of [
    `//evil.example/reporting/file/${name}`,
    `/\\evil.example/reporting/file/${name}`,
    `\\\\evil.example/reporting/file/${name}`,
    `\t//evil.example/reporting/file/${name}`,
    `/\t/evil.example/reporting/file/${name}`,
    `https://evil.example/reporting/file/${name}`,
    `https://api.example.edu.evil.example/reporting/file/${name}`,
    `https://api.example.edu@evil.example/reporting/file/${name}`,
    `http://127.0.0.1:9090/reporting/file/${name}`,
    `javascript:alert(1)//reporting/file/${name}`,
    "/\\evil.example/x",
    "/console/",
    `/reporting/file/${name}/x`,
    "现场.png",
    "",
    "http://",
  ])
    assert.equal(path(reference), undefined, reference);
});
