// The parser is strict, since an answer that only a lenient parser accepts is a fault.

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export class Malformed extends Error {}

const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\x20-\x7e\x80-\xff]*)$/;

/**
 * Returns all answers of a connection in the sequence of arrival, without interim answers (1xx).
 * @param methods the methods of the requests in the same sequence, since an answer to HEAD has no body; requests beyond
 * the list are GET
 * @throws {Malformed} for anything except complete answers
 */
export function readAnswers(bytes: Buffer, methods: readonly string[] = []): RawAnswer[] {
  const text = bytes.toString("latin1");
  const answers: RawAnswer[] = [];
  let at = 0;
  while (at < text.length) {
    const { answer, end } = readAnswer(text, at, methods[answers.filter(isFinal).length]);
    answers.push(answer);
    at = end;
  }
  return answers.filter(isFinal);
}

const isFinal = ({ status }: RawAnswer): boolean => status >= 200;

function readAnswer(text: string, at: number, method = "GET"): { answer: RawAnswer; end: number } {
  const headEnd = text.indexOf("\r\n\r\n", at);
  if (headEnd < 0) throw new Malformed(`a head without an end: ${text.slice(at, at + 200)}`);
  const [first = "", ...lines] = text.slice(at, headEnd).split("\r\n");
  const status = Number(statusLine.exec(first)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new Malformed(`no status line: ${first.slice(0, 200)}`);
  const headers = readHeaders(lines);
  const bodyStart = headEnd + 4;
  if (method === "HEAD" || status < 200 || status === 204 || status === 304)
    return { answer: { status, headers, body: "" }, end: bodyStart };
  const { body, end } = headers.has("transfer-encoding")
    ? readChunks(text, bodyStart)
    : readLength(text, bodyStart, headers.get("content-length"));
  return { answer: { status, headers, body }, end };
}

function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = "", value = ""] = headerLine.exec(line) ?? [];
    if (name === "") throw new Malformed(`no header: ${line.slice(0, 200)}`);
    if (headers.has(name.toLowerCase())) throw new Malformed(`${name} comes twice`);
    headers.set(name.toLowerCase(), value);
  }
  return headers;
}

function readLength(text: string, start: number, length: string | undefined): { body: string; end: number } {
  if (length === undefined || !/^\d+$/.test(length)) throw new Malformed(`a body of the length ${length}`);
  const end = start + Number(length);
  if (end > text.length) throw new Malformed("a body that ends too early");
  return { body: text.slice(start, end), end };
}

function readChunks(text: string, start: number): { body: string; end: number } {
  let body = "";
  for (let at = start; ;) {
    const lineEnd = text.indexOf("\r\n", at);
    const size = lineEnd < 0 ? "" : text.slice(at, lineEnd);
    if (!/^[0-9a-fA-F]+$/.test(size)) throw new Malformed(`a chunk of the size ${size.slice(0, 50)}`);
    const bytes = Number.parseInt(size, 16);
    const end = lineEnd + 2 + bytes;
    if (text.slice(end, end + 2) !== "\r\n") throw new Malformed("a chunk that ends elsewhere than it says");
    body += text.slice(lineEnd + 2, end);
    if (bytes === 0) return { body, end: end + 2 };
    at = end + 2;
  }
}
