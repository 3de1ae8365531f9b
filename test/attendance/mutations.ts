import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildArchive } from "#test/archive-fixture.ts";
import type { FixtureEntry } from "#test/archive-fixture.ts";
import { openArchive } from "#platform/workbooks/archive.ts";
import { DEFAULT_LIMITS } from "#platform/workbooks/index.ts";
import { createRandom } from "#test/crash/random.ts";
import { makeMonth, mapColumn, writeBook, writeCsv } from "#test/attendance/workbooks.ts";
import type { Generation, Sheet } from "#test/attendance/workbooks.ts";

export interface Specimen {
  readonly bytes: Buffer;
  readonly entries: readonly FixtureEntry[];
}

export type Random = (below: number) => number;

export function openRandom(seed: number): Random {
  const random = createRandom(seed);
  return (below) => Math.floor(random() * below);
}

export async function makeSpecimens(): Promise<Specimen[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "attendance-fuzz-"));
  try {
    const specimens: Specimen[] = [];
    const file = path.join(folder, "specimen");
    for (const generation of [2020, 2026] satisfies Generation[]) {
      const made = makeMonth({ month: "2026-05", people: 2, seed: 1, generation });
      for (const strings of ["inline", "shared"] as const) {
        await writeBook(
          file,
          [made.clockTimesSheet, made.originalSheet, made.monthSheet, made.dailySheet, made.identitySheet],
          { strings },
        );
        specimens.push(await takeApart(file));
      }
      await writeBook(file, [touch(made.monthSheet), touch(made.originalSheet), made.identitySheet]);
      specimens.push(await takeApart(file));
      for (const [encoding, separator] of TEXTS) {
        await writeCsv(file, made.originalSheet, encoding, separator);
        specimens.push({ bytes: await readFile(file), entries: [] });
      }
    }
    return specimens;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const TEXTS = [
  ["utf-8", ","],
  ["gb18030", ";"],
  ["utf-16le", "\t"],
  ["utf-16be", ","],
] as const;

function touch(sheet: Sheet): Sheet {
  const [title, made, ...headings] = sheet.head;
  const ids = mapColumn(sheet, "UserId", (cell, row) => (row === 0 ? { raw: "2.90839E+17" } : cell));
  const losing = mapColumn(ids, "部门", (_, row) => (row === 0 ? { formula: "B1" } : { error: "#N/A" }));
  return {
    ...losing,
    head: [title ?? [], made ?? [], ...Array.from({ length: 12 }, () => ["说明"]), ...headings],
    rows: [...losing.rows, ["合计", null, null, null, null, null, 7], ["制表人：某"]],
    hiddenColumns: [2, 5, 9],
  };
}

async function takeApart(file: string): Promise<Specimen> {
  const archive = await openArchive(file, DEFAULT_LIMITS);
  try {
    const entries: FixtureEntry[] = [];
    for (const name of archive.entries.keys())
      entries.push({ name, content: Buffer.concat(await Array.fromAsync(archive.readEntry(name))) });
    return { bytes: await readFile(file), entries };
  } finally {
    archive.close();
  }
}

export function mutate({ bytes, entries }: Specimen, random: Random): Buffer {
  const times = 1 + random(random(4) === 0 ? 6 : 2);
  const kind = entries.length === 0 ? 0 : random(8);
  if (kind === 0) return repeat(bytes, times, (buffer) => mutateBytes(buffer, random));
  const changed = repeat([...entries], times, (list) =>
    kind === 1 ? mutateEntries(list, random) : mutateContent(list, random),
  );
  // In three of four archives all entries are stored uncompressed, since compressing takes longer than reading.
  return buildArchive(random(4) === 0 ? changed : changed.map((entry) => ({ stored: true, ...entry })));
}

function repeat<Value>(value: Value, times: number, change: (value: Value) => Value): Value {
  let changed = value;
  for (let count = 0; count < times; count++) changed = change(changed);
  return changed;
}

function mutateBytes(bytes: Buffer, random: Random): Buffer {
  if (bytes.length < 2) return bytes;
  // Half of the mutations are near the end, since an archive's directory is there and is the most fragile.
  const at = random(2) === 0 ? random(bytes.length) : Math.max(0, bytes.length - 1 - random(1500));
  const size = 1 + random(random(3) === 0 ? 2000 : 4);
  const kind = random(6);
  if (kind === 0) return bytes.subarray(0, at);
  if (kind === 1) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)]);
  if (kind === 2) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(0, size), bytes.subarray(at)]);
  const copy = Buffer.from(bytes);
  if (kind === 3) copy[at] = (copy[at] ?? 0) ^ (1 << random(8));
  else if (kind === 4) copy[at] = [0, 0xff, 0x7f, 0x80][random(4)] ?? 0;
  else copy.fill(random(256), at, Math.min(copy.length, at + size));
  return copy;
}

function mutateEntries(entries: FixtureEntry[], random: Random): FixtureEntry[] {
  const at = random(entries.length);
  const entry = entries[at];
  const other = entries[random(entries.length)];
  if (entry === undefined || other === undefined) return entries;
  const replacements: readonly (readonly FixtureEntry[])[] = [
    [],
    [entry, entry],
    [{ ...entry, content: other.content }],
    [{ ...entry, name: other.name }],
    [{ ...entry, name: `${entry.name}\0` }],
    [{ ...entry, name: "../etc/passwd" }],
    [{ ...entry, content: "" }],
    [{ ...entry, content: Buffer.from(entry.content).subarray(0, random(Math.max(1, entry.content.length))) }],
    [{ ...entry, declaredBytes: random(2) === 0 ? 0 : 0xffff_fff0 }],
    [{ ...entry, flags: 0x801 }],
    [{ ...entry, stored: true, descriptor: true }],
    [{ ...entry, content: "A".repeat(3_000_000) }],
  ];
  return entries.toSpliced(at, 1, ...(replacements[random(replacements.length)] ?? []));
}

// These snippets are separated by whitespace, so none of them contains any.
const SHORT_SNIPPETS = `< > " ' & &#0; &#55357; &#x110000; &unknown; <![CDATA[</c></row>]]> <!-- --> <?x </row> </sheetData> <sheetData/>
<row> <c> </c> <c/> <v>1e999</v> <is><r><t>a</t></r><rPh><t>b</t></rPh></is> <rPh> \\ \u{1F600} _x0000_ _xD83D_ <v>2.9083912345678901E+17
合计 制表人： (小时) （分钟） 所属规则 实际出勤时长 考勤日期 姓名 2026-02-30`;
const SNIPPETS = SHORT_SNIPPETS.split(/\s/).concat(
  "\0",
  "\t",
  " 至 ",
  "次日 ",
  "<!DOCTYPE a [<!ENTITY b 'c'>]>",
  "<row r='7'>",
  '<c r="ZZZZZZZ1">',
  '<c r="1" t="s"><v>-1</v></c>',
  '<c t="s"><v>99999999</v></c>',
  '<c t="d"><v>2026-05-04</v></c>',
  '<c s="1"><v>46146.5</v></c>',
  '<c r="J5"><f>SUM(A1)</f></c>',
  '<c r="A7" t="e"><v>#REF!</v></c>',
  '</sheetData><cols><col min="1" max="99999" hidden="1"/></cols><sheetData>',
  // Unicode normalization of this text takes quadratic time.
  `${"\u0315".repeat(16_000)}${"\u0316".repeat(16_000)}`,
  "9999-12-31 至 2026-05-01",
  "2026-05-31 至 2026-05-01",
  "2026-05-31 至 2027-06-30",
);

function mutateContent(entries: FixtureEntry[], random: Random): FixtureEntry[] {
  const sheets = entries.filter(({ name }) => random(6) === 0 || name.includes("sheet") || name.includes("shared"));
  const entry = sheets[random(Math.max(1, sheets.length))];
  if (entry === undefined || entry.content.length === 0) return entries;
  const content = mutateXml(Buffer.from(entry.content).toString(), random);
  return entries.map((other) => (other === entry ? { ...entry, content } : other));
}

function mutateXml(xml: string, random: Random): string | Buffer {
  // Half of the mutations are near the start, since titles and headings determine how the rest is read.
  const at = random(2) === 0 ? random(xml.length) : random(Math.min(xml.length, 6000));
  const snippet = SNIPPETS[random(SNIPPETS.length)] ?? "";
  const length = 1 + random(random(3) === 0 ? 3000 : 12);
  const kind = random(9);
  if (kind === 0) return xml.slice(0, at);
  if (kind === 1) return xml.slice(0, at) + xml.slice(at + length);
  if (kind === 2) return xml.slice(0, at) + xml.slice(at, at + length).repeat(1 + random(40)) + xml.slice(at + length);
  if (kind === 3) return dropTag(xml, at);
  if (kind === 4) return changeAttribute(xml, at, random);
  if (kind === 5)
    return Buffer.concat([Buffer.from(xml.slice(0, at)), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from(xml.slice(at))]);
  if (kind === 6) return xml.slice(0, at) + snippet.repeat(1 + random(3)) + xml.slice(at);
  if (kind === 7) return changeText(xml, at, snippet);
  return xml.replaceAll(xml.slice(at, at + 1 + random(6)), snippet);
}

function dropTag(xml: string, from: number): string {
  const start = xml.indexOf("<", from);
  const end = xml.indexOf(">", start);
  return start === -1 || end === -1 ? xml : xml.slice(0, start) + xml.slice(end + 1);
}

const VALUES = " 0 -1 1 99999999999 A1048577 XFE3 s inlineStr b e n str rId99 ../../x".split(" ");

function changeAttribute(xml: string, from: number, random: Random): string {
  const start = xml.indexOf('="', from);
  const end = xml.indexOf('"', start + 2);
  return start === -1 || end === -1
    ? xml
    : xml.slice(0, start + 2) + (VALUES[random(VALUES.length)] ?? "") + xml.slice(end);
}

function changeText(xml: string, from: number, text: string): string {
  const start = xml.indexOf("<t>", from);
  const end = xml.indexOf("</t>", start);
  return start === -1 || end === -1 ? xml : xml.slice(0, start + 3) + text + xml.slice(end);
}
