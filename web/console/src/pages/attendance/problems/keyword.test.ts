import assert from "node:assert/strict";
import { test } from "node:test";
import { hasKeyword, mostCharacters, proposeKeyword } from "#console/pages/attendance/problems/keyword.ts";

test("what tells the place is proposed of an address, without brackets, devices and floors", () => {
  assert.equal(proposeKeyword("市民之家(AA:BB:CC:33:44:55)"), "市民之家");
  assert.equal(proposeKeyword("东湖校区南门_20311"), "东湖校区南门");
  assert.equal(proposeKeyword("东湖校区二楼：支持人脸+指纹"), "东湖校区二楼");
  assert.equal(proposeKeyword("AA:BB:CC:00:11:22"), "AA:BB:CC:00:11:22");
  assert.equal(proposeKeyword("长".repeat(200)).length, mostCharacters);
});

test("what is proposed stands in the address, whatever its case", () => {
  for (const address of ["某路 1 号", "（内部）东门", "LIBRARY-Wifi_5G", "12345"])
    assert.ok(hasKeyword(address, proposeKeyword(address)), address);
  assert.ok(hasKeyword("Library Wifi", " wifi "));
  assert.ok(!hasKeyword("Library", "wifi"));
});
