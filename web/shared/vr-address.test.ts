import assert from "node:assert/strict";
import { test } from "node:test";
import { toVrAddress } from "#shared/vr-address.ts";

test("a panorama is opened at an address of the web or of this host, and nowhere else", () => {
  assert.equal(toVrAddress(" https://vr.example/1?a=b ", ""), "https://vr.example/1?a=b");
  assert.equal(toVrAddress("HTTP://vr.example", ""), "http://vr.example/");
  assert.equal(toVrAddress("/vr/1", "/city"), "/city/vr/1");
  assert.equal(toVrAddress("/city/vr/1", "/city"), "/city/vr/1");
  for (const wrong of [
    "",
    "vr",
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "//other.example",
    "/\\other.example",
    "https://",
    "http:/x",
    "<script>",
  ])
    assert.equal(toVrAddress(wrong, ""), undefined, wrong);
});
