import { hash } from "node:crypto";
import type { Readable } from "node:stream";
import { explain, Problem } from "#platform/contract/problem.ts";
import { parseJson } from "#platform/contract/json.ts";
import type { Db } from "#platform/database/index.ts";
import { backfilled } from "./delivery/index.ts";
import { openData } from "./sealed.ts";
import { openSource } from "./selection.ts";
import { wholeSelection } from "./selection-contract.ts";
import { findSelection } from "./selection-store.ts";

const mostRows = 1_000_000;
const mostLineBytes = 4096;
const mostBytes = 400_000_000;
const mostAtOnce = 1000;
/**
 * The length of a digest in characters. A digest is a Latin-1 string, which takes less memory than hexadecimal or a
 * Buffer.
 */
const digestLength = 32;

/**
 * Maps the number of each subject to its digest. If several subjects have the same number, such as a person and an
 * organisation or people of two schools, their digests are concatenated.
 */
type Rows = Map<string, string>;

/**
 * Reads a digest from each line. After an error, the rest of the body is still read, up to 400 MB, since many clients
 * read the response only after sending everything.
 * @throws {Problem} badFormat for an incomplete body or an invalid line, naming the first one; tooLong for more than a
 * million lines or 400 MB
 */
export async function readRows(body: Readable | undefined): Promise<Rows> {
  const rows: Rows = new Map();
  const lines = openLines((text, line) => addRow(rows, text, line));
  let [wrong, bytes] = [undefined as Problem | undefined, 0];
  for await (const chunk of readChunks(body)) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw wrong ?? tooMany();
    if (!wrong) wrong = refusalOf(() => lines.add(chunk));
  }
  wrong ??= refusalOf(() => lines.end());
  if (wrong) throw wrong;
  return rows;
}

function refusalOf(work: () => void): Problem | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

function openLines(take: (text: string, line: number) => void) {
  let [line, rest] = [0, Buffer.alloc(0)];
  const end = (bytes: Buffer): void => {
    if (++line > mostRows) throw tooMany();
    if (bytes.length > mostLineBytes) throw wrongLine(line);
    const text = bytes.toString().trim();
    if (text !== "") take(text, line);
  };
  return {
    add: (chunk: Buffer): void => {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        const part = chunk.subarray(from, at);
        end(rest.length > 0 ? Buffer.concat([rest, part]) : part);
        [from, rest] = [at + 1, Buffer.alloc(0)];
      }
      rest = Buffer.concat([rest, chunk.subarray(from)]);
      if (rest.length > mostLineBytes) throw wrongLine(line + 1);
    },
    end: (): void => void (rest.length > 0 && end(rest)),
  };
}

const tooMany = (): Problem =>
  explain("tooLong", `最多 ${mostRows} 行`, `the request body must have at most ${mostRows} lines`);

async function* readChunks(body: Readable | undefined): AsyncGenerator<Buffer> {
  try {
    if (body) for await (const chunk of body) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw explain("badFormat", "请求体不完整", "the request body is incomplete");
  }
}

function addRow(rows: Rows, text: string, line: number): void {
  const { subject, digest } = (parseJson(text) ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof subject !== "string" || typeof digest !== "string" || !/^[0-9a-f]{64}$/i.test(digest))
    throw wrongLine(line);
  const own = Buffer.from(digest, "hex").toString("latin1");
  const known = rows.get(subject) ?? "";
  if (findDigest(known, own) < 0) rows.set(subject, known + own);
}

const wrongLine = (line: number): Problem =>
  explain(
    "badFormat",
    `第 ${line} 行：应为 {"subject":"…","digest":"64 位十六进制"}`,
    `line ${line}: must be {"subject":"…","digest":"64 hex digits"}`,
  );

function findDigest(digests: string, one: string): number {
  let at = digests.indexOf(one);
  while (at % digestLength > 0) at = digests.indexOf(one, at + 1);
  return at;
}

export interface Comparison {
  readonly missing: string[];
  readonly different: string[];
  readonly surplus: string[];
}

/** Compares the directory with `rows`, from which it removes the digests that agree. */
export async function compareDirectory(db: Db, projectId: number, rows: Rows): Promise<Comparison> {
  const [missing, different, met] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const meet = ({ subject, data }: Own): void => {
    const theirs = rows.get(subject);
    if (theirs === undefined) return void missing.add(subject);
    met.add(subject);
    const at = findDigest(theirs, digestOf(data));
    if (at < 0) different.add(subject);
    else rows.set(subject, theirs.slice(0, at) + theirs.slice(at + digestLength));
  };
  for await (const some of listOwn(db, projectId)) some.forEach(meet);
  const surplus: string[] = [];
  for (const [subject, left] of rows)
    if (!met.has(subject)) surplus.push(subject);
    else if (left !== "") different.add(subject);
  return { missing: [...missing], different: [...different], surplus };
}

interface Own {
  readonly subject: string;
  readonly data: string;
}

async function* listOwn(db: Db, projectId: number): AsyncGenerator<Own[]> {
  const chosen = { ...((await findSelection(db, projectId)) ?? wholeSelection), form: "json" } as const;
  for (const [kind, event] of backfilled)
    for (let after = 0; ;) {
      const next = await db<{ id: number; schoolCode: string; identity: string; data: string }[]>`
        select id, school_code as "schoolCode", identity, data from push_relay.subject
        where present and kind = ${kind} and id > ${after} order by id limit ${mostAtOnce}`;
      yield next.flatMap(({ schoolCode, identity: subject, data }) => {
        const source = openSource({ event, schoolCode, data: openData(db.keys, data) }, undefined);
        const part = source.partFor(chosen);
        return part && part.fits !== false ? [{ subject, data: part.data }] : [];
      });
      if (next.length < mostAtOnce) break;
      after = next.at(-1)?.id ?? after;
    }
}

const digestOf = (data: string): string => hash("sha256", canonicalize(JSON.parse(data)), "latin1");

/** Writes canonical JSON (RFC 8785): numbers and strings as JavaScript does, and names sorted. */
export function canonicalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalize(member)}`).join(",")}}`;
}
