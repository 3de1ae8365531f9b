import { buildArchive, buildWorkbook, wrapRows } from "#test/archive-fixture.ts";
import { columns } from "#test/tuition-payment.ts";
import { hostileTexts } from "./hostile-texts.ts";

const cellCharacters = 32_767;
const marks = hostileTexts["marks"]?.(2 * cellCharacters - 1) ?? "";

const escape = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/(?![\t\n])\p{Cc}/gu, "");
const inline = (text: string): string => `<c t="inlineStr"><is><t xml:space="preserve">${escape(text)}</t></is></c>`;
const row = (cells: string): string => `<row>${cells}</row>`;
const strings = (xml: string) => ({ "xl/sharedStrings.xml": `<sst>${xml}</sst>` });
const toFile = (rows: string, parts: Readonly<Record<string, string>> = {}): Buffer =>
  buildArchive(buildWorkbook(wrapRows(rows), parts));

const formats = (count: number, code: string): Record<string, string> => ({
  "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${code}"/></numFmts><cellXfs>${'<xf numFmtId="200"/>'.repeat(count)}</cellXfs></styleSheet>`,
});

export const hostileWorkbooks: Readonly<Record<string, () => Buffer>> = {
  "one text in every cell where headings may be": () =>
    toFile(row('<c t="s"><v>0</v></c>'.repeat(120)).repeat(10), strings(`<si><t>${marks}</t></si>`)),
  "a text of its own in every cell": () => toFile(row(inline(marks).repeat(10)).repeat(10)),
  "a format that opens brackets": () => toFile(row('<c s="1"><v>1</v></c>'), formats(5000, "[".repeat(60_000))),
  "a format that opens quotes": () => toFile(row('<c s="1"><v>1</v></c>'), formats(5000, "&quot;x".repeat(9000))),
  "attributes without values": () => toFile(row(`<c ${"r ".repeat(30_000)}><v>1</v></c>`.repeat(20))),
  "attributes that never end": () => toFile(row(`<c ${" r = ' ".repeat(9000)}'><v>1</v></c>`.repeat(20))),
  "references that never end": () => toFile(row(`<c t="str"><v>${"&a".repeat(15_000)}</v></c>`.repeat(20))),
  "a text in as many runs as letters": () =>
    toFile(row('<c t="s"><v>0</v></c>'), strings(`<si>${"<r><t>a</t></r>".repeat(30_000)}</si>`)),
  "cells far to the right": () => toFile(row(`<c r="${"A".repeat(60_000)}1"><v>1</v></c>`.repeat(20))),
  "ten thousand sheets": () => {
    const sheets = Array.from({ length: 10_000 }, (_, i) => `<sheet name="s${i}" sheetId="${i + 1}" r:id="rId3"/>`);
    return toFile(row(inline("a")), {
      "xl/workbook.xml": `<workbook xmlns:r="x"><sheets>${sheets.join("")}</sheets></workbook>`,
    });
  },
  "brackets of markup": () => toFile(row("<".repeat(60_000))),
  "half a comment": () => toFile(row(`<!--${"-".repeat(60_000)}`)),
};

export function fillCells(headings: readonly string[], textName: string): Buffer {
  const text = hostileTexts[textName]?.(20_000) ?? "";
  const heading = row(headings.map(inline).join(""));
  return toFile(heading + row(headings.map(() => inline(text)).join("")).repeat(Math.ceil(40 / headings.length)));
}

export const importHeadings: Readonly<Record<string, readonly string[]>> = {
  "tuition-payment/importPayables": columns,
  "disease-command/importDetection": ["日期", "人群类别", "检测人数", "异常人数"],
  "disease-command/importFeverClinics": ["医院名称", "发热门诊人数", "流行病学史人数"],
};
