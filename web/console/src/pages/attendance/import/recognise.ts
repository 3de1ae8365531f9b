import type { ImportSheet } from "#services/attendance/contract.ts";
import type { DayRange } from "#console/pages/attendance/coverage/days.ts";

// What a workbook holds is told by its first few kilobytes: the names of its sheets, and the title with the days. They
// are read here so that a person sees before the upload what will be imported and what it replaces. The server reads
// the file itself and has the last word; whatever is not understood here is left for the person to say.

export interface Recognised {
  readonly sheets: readonly ImportSheet[];
  /** yyyy-MM, when the days are all of one month. */
  readonly month: string | undefined;
  /** The months to choose from when the days are of several. */
  readonly months: readonly string[];
  /** The days that the title says. */
  readonly days: DayRange | undefined;
}

/** Errors: none; a file that is not understood holds nothing. */
export async function recognise(file: File): Promise<Recognised> {
  try {
    const { names, text } = /\.(?:csv|txt|tsv)$/i.test(file.name) ? await readText(file) : await readWorkbook(file);
    return { sheets: findSheets(names, text, file.name), ...findMonths(text, file.name) };
  } catch {
    return { sheets: findSheets([], "", file.name), ...findMonths("", file.name) };
  }
}

interface Beginning {
  readonly names: readonly string[];
  readonly text: string;
}

const bySheetName: readonly (readonly [ImportSheet, RegExp])[] = [
  ["month", /月度汇总|每日统计|每日汇总/],
  ["original", /原始记录/],
  ["work", /员工信息|身份证|人员信息|花名册/],
];
const byHeading: readonly (readonly [ImportSheet, RegExp])[] = [
  ["month", /出勤天数[^]*休息天数/],
  ["original", /打卡时间[^]*打卡结果|打卡结果[^]*打卡地址/],
  ["work", /身份证/],
];

function findSheets(names: readonly string[], text: string, fileName: string): ImportSheet[] {
  const find = (patterns: typeof bySheetName, where: string) =>
    patterns.filter(([, pattern]) => pattern.test(where)).map(([sheet]) => sheet);
  for (const found of [find(bySheetName, names.join("\n")), find(byHeading, text), find(bySheetName, fileName)])
    if (found.length > 0) return found;
  return [];
}

const range = /(\d{4}-\d{2}-\d{2})\s*(?:至|~|—)\s*(\d{4}-\d{2}-\d{2})/;
const inFileName = /(?:^|\D)(20\d{2})-?(0[1-9]|1[0-2])(?:-?(?:[0-2]\d|3[01]))?(?:\D|$)/;

function findMonths(text: string, fileName: string): Omit<Recognised, "sheets"> {
  const [, from, to] = range.exec(text) ?? [];
  if (from !== undefined && to !== undefined) {
    const [first, last] = [from.slice(0, 7), to.slice(0, 7)];
    const days = { from, to };
    return first === last ? { month: first, months: [], days } : { month: undefined, months: [first, last], days };
  }
  const [, year, month] = inFileName.exec(fileName) ?? [];
  return {
    month: undefined,
    months: year !== undefined && month !== undefined ? [`${year}-${month}`] : [],
    days: undefined,
  };
}

const fewBytes = 24_000;
const textsBytes = 200_000;

async function readText(file: File): Promise<Beginning> {
  const bytes = new Uint8Array(await file.slice(0, fewBytes).arrayBuffer());
  // As the beginning of more: the last character may be cut.
  const decode = (encoding: string) => new TextDecoder(encoding).decode(bytes, { stream: true });
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { names: [], text: decode("utf-16le") };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { names: [], text: decode("utf-16be") };
  const utf8 = decode("utf-8");
  return { names: [], text: utf8.includes("\uFFFD") ? decode("gb18030") : utf8 };
}

async function readWorkbook(file: File): Promise<Beginning> {
  const entries = await listEntries(file);
  const read = async (name: string, bytes: number) => {
    const entry = entries.find((each) => each.name === name);
    return entry ? decodeEntities(await readEntry(file, entry, bytes)) : "";
  };
  const workbook = await read("xl/workbook.xml", textsBytes);
  const names = [...workbook.matchAll(/<(?:\w+:)?sheet\s[^>]*?name="([^"]*)"/g)].map(([, name = ""]) => name);
  const sheets = entries.filter(({ name }) => /^xl\/worksheets\/[^/]+\.xml$/.test(name)).slice(0, 8);
  const texts = await Promise.all([
    ...sheets.map(({ name }) => read(name, fewBytes)),
    read("xl/sharedStrings.xml", textsBytes),
  ]);
  return { names, text: texts.join("\n").replaceAll(/<[^>]*>/g, " ") };
}

const decodeEntities = (xml: string): string =>
  xml
    .replaceAll(/&#x([\da-f]+);/gi, (_all, code: string) => toCharacter(Number.parseInt(code, 16)))
    .replaceAll(/&#(\d+);/g, (_all, code: string) => toCharacter(Number(code)));
const toCharacter = (code: number): string => (code <= 0x10_ff_ff ? String.fromCodePoint(code) : "");

interface Entry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly packedBytes: number;
  readonly offset: number;
}

const endMark = 0x06_05_4b_50;
const entryMark = 0x02_01_4b_50;
const endBytes = 66_000;

/** The directory at the end of a zip archive; archives above 4 GB have another, and are not read here. */
async function listEntries(file: File): Promise<Entry[]> {
  const tail = new DataView(await file.slice(Math.max(0, file.size - endBytes)).arrayBuffer());
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== endMark) end--;
  if (end < 0) return [];
  const bytes = tail.getUint32(end + 12, true);
  const from = tail.getUint32(end + 16, true);
  const directory = new DataView(await file.slice(from, from + bytes).arrayBuffer());
  const entries: Entry[] = [];
  for (let at = 0; at + 46 <= directory.byteLength && directory.getUint32(at, true) === entryMark;) {
    const nameBytes = directory.getUint16(at + 28, true);
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(directory.buffer, at + 46, nameBytes)),
      isDeflated: directory.getUint16(at + 10, true) === 8,
      packedBytes: directory.getUint32(at + 20, true),
      offset: directory.getUint32(at + 42, true),
    });
    at += 46 + nameBytes + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
  }
  return entries;
}

/** The beginning of an entry, unpacked no further than needed. */
async function readEntry(file: File, { isDeflated, packedBytes, offset }: Entry, mostBytes: number): Promise<string> {
  const head = new DataView(await file.slice(offset, offset + 30).arrayBuffer());
  const from = offset + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const packed = file.slice(from, from + packedBytes);
  const stream = isDeflated ? packed.stream().pipeThrough(new DecompressionStream("deflate-raw")) : packed.stream();
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (text.length < mostBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  // Not waited for: what is left of the entry is of no interest, and neither is when it is let go.
  void reader.cancel().catch(() => undefined);
  return text;
}
