import assert from "node:assert/strict";
import { test } from "node:test";
import { administratorOrderEndpoints } from "./contract.ts";
import { deskEndpoints, manyRefundEndpoints, refundEndpoints } from "./desk-contract.ts";
import { addParameters, mayRedirect, pollAfterSeconds, toWords } from "./rules.ts";

test("a gateway is asked after 5 s, then in doubling steps up to ten minutes", () => {
  assert.deepEqual([0, 1, 2, 3, 6, 7, 8, 1000].map(pollAfterSeconds), [5, 10, 20, 40, 320, 600, 600, 600]);
});

test("amounts are written in the numerals of receipts", () => {
  const words: [number, string][] = [
    [1, "壹分"],
    [10, "壹角整"],
    [101, "壹元零壹分"],
    [480_050, "肆仟捌佰元伍角整"],
    [600_000, "陆仟元整"],
    [1_000_100, "壹万零壹元整"],
    [10_050_000, "壹拾万零伍佰元整"],
    [1_000_000_000, "壹仟万元整"],
    [9_999_999_999, "玖仟玖佰玖拾玖万玖仟玖佰玖拾玖元玖角玖分"],
    [10_000_000_100, "壹亿零壹元整"],
    [100_000_000_000, "壹拾亿元整"],
    [2_010_305, "贰万零壹佰零叁元零伍分"],
  ];
  for (const [fen, text] of words) assert.equal(toWords(fen), text);
});

test("a payer is sent to a path of this server, or to a host that the settings name", () => {
  for (const url of ["/", "/pay/done?x=1", "https://pay.example.edu/done", "http://127.0.0.1:8080/x"])
    assert.ok(mayRedirect(url, ["pay.example.edu", "127.0.0.1:8080"]), url);
  for (const url of ["//evil.example", "/\\evil.example", "\\/x", "https://evil.example/", "javascript:1", "data:,x"])
    assert.ok(!mayRedirect(url, ["pay.example.edu"]), url);
  for (const url of ["https://pay.example.edu@evil.example/", "https://evil.example/#pay.example.edu", "x", "", "/a b"])
    assert.ok(!mayRedirect(url, ["pay.example.edu"]), url);
  assert.equal(addParameters("/a?b=1#c", { orderNo: "1" }), "/a?b=1&orderNo=1#c");
  assert.equal(addParameters("/", { status: "paid" }), "/?status=paid");
});

test("whatever gives money back asks for the second factor again", () => {
  const all = { ...administratorOrderEndpoints, ...refundEndpoints, ...manyRefundEndpoints, ...deskEndpoints };
  const asking = Object.entries(all).flatMap(([name, one]) =>
    "secondFactor" in one && one.secondFactor === "again" ? [name] : [],
  );
  for (const name of "refundOrder giveBackOrder refundAgain refundOutside approveRefund refundMany importRefunds actAtDesk".split(
    " ",
  ))
    assert.ok(asking.includes(name), name);
});
