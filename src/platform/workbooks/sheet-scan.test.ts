import assert from "node:assert/strict";
import { test } from "node:test";
import { wrapRows } from "#test/archive-fixture.ts";
import { openSheetScanner } from "./sheet-scan.ts";
import { DEFAULT_LIMITS, SpreadsheetError } from "./spreadsheet-error.ts";

const limits = { ...DEFAULT_LIMITS, maxColumns: 100, maxCellChars: 1000, maxRowChars: 10_000 };

type Scanned = [row: number, ...cells: string[]];

function scan(xml: string, size = xml.length, columns?: readonly number[]): Scanned[] {
  const rows: Scanned[] = [];
  const scanner = openSheetScanner(limits, [false, true], ({ row, raws, kinds }) =>
    rows.push([row, ...raws.map((raw, slot) => `${kinds[slot]} ${raw}`)]),
  );
  if (columns !== undefined) scanner.choose(columns);
  for (let at = 0; at < xml.length; at += size) scanner.push(xml.slice(at, at + size));
  scanner.end();
  return rows;
}

const refusal = (xml: string, size?: number): unknown => {
  try {
    return scan(xml, size);
  } catch (error) {
    assert.ok(error instanceof SpreadsheetError, String(error));
    return [error.reason, error.details];
  }
};

const SHEET =
  `<?xml version="1.0"?><!-- > --><x:worksheet><x:cols><x:col min="2" max="2" hidden="1"/></x:cols>` +
  `<x:sheetData><row r="2" spans="1:3"><c r="A2" s="1"><v>45</v></c><c r="C2" t="s"><v>7</v></c></row><row r="3"/>` +
  `<x:row><x:c t='str' ><x:f>"a&gt;b"</x:f><x:v>a&amp;b</x:v></x:c><c><f>1/0</f></c><c t="e"><v>#N/A</v></c></x:row>` +
  `<row r = '9'><!-- </row> --><c r="B9" t="inlineStr"><is><r><t>x</t></r><r><t><![CDATA[&<]]></t></r>` +
  `<rPh><t>ex</t></rPh></is></c><c x="a>b" r="AB9"><v>1</v></c></row></x:sheetData><pageMargins/></x:worksheet>`;

test("the same rows come whatever the size of the pieces", () => {
  const blank = Array.from({ length: 25 }, () => "0 ");
  for (const size of [1, 2, 3, 7, 16, 64, SHEET.length])
    assert.deepEqual(
      scan(SHEET, size),
      [
        [2, "7 45", "0 ", "2 7"],
        [4, "3 a&amp;b", "9 ", "5 #N/A"],
        [9, "0 ", "3 x&amp;<", ...blank, "1 1"],
      ],
      `${size}`,
    );
});

test("chosen columns have their slots, and rows without any of them do not come", () => {
  for (const size of [1, 7, SHEET.length])
    assert.deepEqual(scan(SHEET, size, [27, 1]), [
      [4, "0 ", "9 "],
      [9, "1 1", "3 x&amp;<"],
    ]);
  assert.deepEqual(scan(SHEET, SHEET.length, []), []);
});

test("a sheet that ends before its data does is refused", () => {
  const whole = wrapRows(`<row r="1"><c r="A1"><v>1</v></c></row>`);
  assert.equal(scan(whole).length, 1);
  for (const end of ["</sheetData>", "</row>", "</c>", "<c r"])
    assert.deepEqual(refusal(whole.slice(0, whole.indexOf(end))), ["damaged", {}], end);
});

test("cells that are there twice or out of order are refused, since what stands behind the last chosen one is not looked at", () => {
  const cell = (column: string): string => `<c r="${column}1"><v>1</v></c>`;
  for (const columns of ["BA", "AA", "ACB"])
    assert.deepEqual(refusal(wrapRows(`<row r="1">${Array.from(columns, cell).join("")}</row>`)), ["damaged", {}]);
});

test("what is too much is refused with the row that it stands in, before more of it is kept", () => {
  const row = (cell: string): string => wrapRows(`<row r="1"><c><v>1</v></c></row><row r="5">${cell}</row>`);
  const long = "x".repeat(10_001);
  const tooLong = ["cell-text", { limit: 1000, row: 5, column: 2 }];
  assert.deepEqual(refusal(row(`<c r="B5"><v>${long}</v></c>`)), tooLong);
  assert.deepEqual(refusal(row(`<c r="B5"><is><r><t>${long}</t></r></is></c>`)), tooLong);
  assert.deepEqual(refusal(row(`<c r="B5"><v>${long}`), 500), tooLong);
  assert.deepEqual(refusal(row(`<c r="CW5"/>`)), ["columns", { limit: 100, row: 5, column: 101 }]);
  assert.throws(() => scan(row(`<c r="${"x".repeat(70_000)}`), 500), SpreadsheetError);
  const wide = "<c><v>1</v></c>".repeat(99);
  assert.deepEqual(refusal(row(wide + `<!--${"x".repeat(40_000)}`), 500), ["row-text", { row: 5 }]);
});
