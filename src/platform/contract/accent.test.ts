import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, mixColors, toAccents } from "./accent.ts";

test("whatever colour is chosen can be read on light and on dark pages", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  for (const color of ["#ffffff", "#000000", "#ffee00", "#00ff00", "#0000ff", "#808080", "#1d4ed8"]) {
    const { light, dark } = toAccents(color);
    assert.ok(contrast(light, "#ffffff") >= 5.6, `${color} as ${light} on white`);
    assert.ok(contrast(light, mixColors("#ffffff", light, 0.08)) >= 4.5, `${color} as ${light} on its own tint`);
    assert.ok(contrast(dark, "#171a20") >= 6.5, `${color} as ${dark} on dark`);
    assert.ok(contrast(dark, mixColors("#171a20", dark, 0.16)) >= 4.5, `${color} as ${dark} on its own tint`);
  }
  assert.equal(toAccents("#7a1f1f").light, "#7a1f1f");
});
