import assert from "node:assert/strict";
import { test } from "node:test";
import { addParameters, chooseStep, mayRedirect, pickItems, pollAfterSeconds, toOrderNo, toWords } from "./rules.ts";

test("a gateway is asked after 5 s, then in doubling steps up to ten minutes", () => {
  assert.deepEqual([0, 1, 2, 3, 6, 7, 8, 1000].map(pollAfterSeconds), [5, 10, 20, 40, 320, 600, 600, 600]);
});

test("what is done by itself follows from the state, the limit and the gateway", () => {
  assert.equal(chooseStep("created", false, false), "none");
  assert.equal(chooseStep("created", true, false), "close");
  assert.equal(chooseStep("paying", false, true), "poll");
  assert.equal(chooseStep("paying", true, true), "close");
  assert.equal(chooseStep("closed", true, true), "askAgain");
  assert.equal(chooseStep("closed", true, false), "none");
  assert.equal(chooseStep("refunding", true, true), "refund");
  assert.equal(chooseStep("paid", true, true), "none");
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
  for (const url of [
    "//evil.example",
    "/\\evil.example",
    "\\/x",
    "https://evil.example/",
    "javascript:alert(1)",
    "data:,x",
  ])
    assert.ok(!mayRedirect(url, ["pay.example.edu"]), url);
  for (const url of ["https://pay.example.edu@evil.example/", "https://evil.example/#pay.example.edu", "x", "", "/a b"])
    assert.ok(!mayRedirect(url, ["pay.example.edu"]), url);
  assert.equal(addParameters("/a?b=1#c", { orderNo: "1" }), "/a?b=1&orderNo=1#c");
  assert.equal(addParameters("/", { status: "paid" }), "/?status=paid");
});

const offered = new Map([
  [
    7,
    {
      id: 7,
      years: "2026",
      items: [
        { name: "学费", amountFen: 480_000 },
        { name: "住宿费", amountFen: 1 },
      ],
    },
  ],
]);

test("without names all items are chosen, and each once", () => {
  const all = pickItems([{ payableId: 7 }], offered);
  assert.ok(Array.isArray(all) && all.length === 2);
  const one = pickItems([{ payableId: 7, items: ["学费"] }], offered);
  assert.deepEqual(one, [{ payableId: 7, years: "2026", name: "学费", amountFen: 480_000 }]);
  assert.equal(pickItems([{ payableId: 8 }], offered), "paymentNotFound");
  assert.equal(pickItems([{ payableId: 7, items: ["书费"] }], offered), "itemNotFound");
  assert.equal(pickItems([{ payableId: 7, items: ["学费", "学费"] }], offered), "paymentItemExists");
  assert.equal(pickItems([{ payableId: 7 }, { payableId: 7, items: ["学费"] }], offered), "paymentItemExists");
});

test("a number is the time and ten digits", () => {
  assert.equal(toOrderNo("2026-11-20 09:30:00", 42), "202611200930000000000042");
});
