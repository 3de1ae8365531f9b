import assert from "node:assert/strict";
import { test } from "node:test";
import { findSimilar } from "#console/pages/disease-command/map/similar-names.ts";

test("a name is found again in another spelling, and nothing else is taken for it", () => {
  const among = ["东 湖", "黄鹤楼（公园）", "江滩公园", "Ｅａｓｔ Gate", "门"];
  assert.equal(findSimilar("东湖", among), "东 湖");
  assert.equal(findSimilar("黄鹤楼公园", among), "黄鹤楼（公园）");
  assert.equal(findSimilar("江滩", among), "江滩公园");
  assert.equal(findSimilar("east gate", among), "Ｅａｓｔ Gate");
  assert.equal(findSimilar("南门", among), undefined);
  assert.equal(findSimilar("北山", among), undefined);
  assert.equal(findSimilar("（）", among), undefined);
});
