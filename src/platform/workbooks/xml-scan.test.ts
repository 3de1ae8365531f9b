import assert from "node:assert/strict";
import { test } from "node:test";
import { SpreadsheetError } from "./spreadsheet-error.ts";
import { openXmlScanner, readAttribute } from "./xml-scan.ts";

const DOCUMENT =
  `<?xml version="1.0"?><!-- a > b --><a x="1>2" y='&lt;&quot;'>t&#19968;&amp;t<p:b/>` +
  `<![CDATA[<raw>&amp;]]><c  z = "3" ></c >tail 🎉 &unknown;</a>`;

const EXPECTED = [
  `<a x="1>2" y='&lt;&quot;'`,
  "t一&t",
  "<b ",
  "/b",
  "<raw>&amp;",
  `<c  z = "3" `,
  "/c",
  "tail 🎉 &unknown;",
  "/a",
];

// Text may come in any number of pieces, so neighbouring pieces are joined.
function scanInPieces(size: number): string[] {
  const events: string[] = [];
  let isText = false;
  const add = (event: string, text: boolean): void => {
    if (text && isText) events.push((events.pop() ?? "") + event);
    else events.push(event);
    isText = text;
  };
  const scanner = openXmlScanner({
    open: (name, attributes) => add(`<${name} ${attributes.replace(/^ /, "")}`, false),
    close: (name) => add(`/${name}`, false),
    text: (text) => add(text, true),
  });
  for (let at = 0; at < DOCUMENT.length; at += size) scanner.push(DOCUMENT.slice(at, at + size));
  scanner.end();
  return events;
}

test("gives the same events whatever the size of the pieces", () => {
  for (const size of [1, 2, 3, 7, 16, DOCUMENT.length]) assert.deepEqual(scanInPieces(size), EXPECTED, `${size}`);
});

test("reads attributes by their whole name", () => {
  const attributes = ` xr="no" r = 'B2' s="7" tt="x>y" t="a&amp;b"`;
  assert.equal(readAttribute(attributes, "r"), "B2");
  assert.equal(readAttribute(attributes, "s"), "7");
  assert.equal(readAttribute(attributes, "t"), "a&b");
  assert.equal(readAttribute(attributes, "x"), undefined);
});

test("keeps no text, and refuses a tag that never ends", () => {
  let length = 0;
  const scanner = openXmlScanner({
    open: () => undefined,
    close: () => undefined,
    text: (text) => (length += text.length),
  });
  scanner.push("<t>");
  for (let count = 0; count < 100; count++) scanner.push("x".repeat(64 * 1024));
  assert.equal(length, 100 * 64 * 1024);
  scanner.push(`<c r="`);
  assert.throws(() => scanner.push("x".repeat(70_000)), SpreadsheetError);
});

test("refuses an end in the middle of a tag", () => {
  const scanner = openXmlScanner({
    open: () => undefined,
    close: () => undefined,
    text: () => undefined,
  });
  scanner.push("<a");
  assert.throws(() => scanner.end(), SpreadsheetError);
});
