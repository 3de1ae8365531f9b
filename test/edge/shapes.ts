// Two parsers may disagree on the end or the meaning of these requests (request smuggling).

export interface Shape {
  readonly bytes: string;
  /**
   * What the server answers before it closes the connection. `doubt`: at most one 4xx, since the next request's start
   * is ambiguous; `refused`: exactly one 4xx; a number: that many answers, none of them 5xx.
   */
  readonly ends: "doubt" | "refused" | number;
}

const post = (headers: readonly string[], body = "", version = "1.1"): string =>
  [`POST /wx/wxc/receive HTTP/${version}`, "host: x", ...headers, "", body].join("\r\n");
const get = (target: string, headers: readonly string[] = [], { version = "1.1", host = ["host: x"] } = {}): string =>
  [`GET ${target} HTTP/${version}`, ...host, ...headers, "", ""].join("\r\n");

const json = "content-type: application/json";
const chunked = "transfer-encoding: chunked";

/** The path of the hidden request, which the server must never read as a separate request. */
export const smuggled = "/developers";
const hidden = get(smuggled);

const doubt = (head: readonly string[], body: string): Shape => ({
  bytes: post([json, ...head], body) + hidden,
  ends: "doubt",
});
const closing = ["connection: close"];

const lengths: Readonly<Record<string, Shape>> = {
  "a length and chunks": doubt(["content-length: 5", chunked], "0\r\n\r\n"),
  "chunks and a length": doubt([chunked, "content-length: 5"], "0\r\n\r\n"),
  "two lengths": doubt(["content-length: 2", "content-length: 40"], "{}"),
  "two equal lengths": doubt(["content-length: 2", "content-length: 2"], "{}"),
  "a list of lengths": doubt(["content-length: 2, 2"], "{}"),
  "a negative length": doubt(["content-length: -2"], "{}"),
  "a length with a sign": doubt(["content-length: +2"], "{}"),
  "a length in hex": doubt(["content-length: 0x2"], "{}"),
  "a length with a fraction": doubt(["content-length: 2.0"], "{}"),
  "a length with a blank in it": doubt(["content-length: 2 0"], "{}"),
  "a length of many digits": doubt([`content-length: ${"9".repeat(40)}`], "{}"),
  "a length of 2^64 + 2": doubt(["content-length: 18446744073709551618"], "{}"),
  "no length": doubt(["content-length:"], "{}"),
  "chunks twice": doubt([chunked, chunked], "0\r\n\r\n"),
  "chunks that are not last": doubt(["transfer-encoding: chunked, gzip"], "0\r\n\r\n"),
  "chunks that are none": doubt(["transfer-encoding: xchunked"], "0\r\n\r\n"),
  "an encoding that is none": doubt(["transfer-encoding: identity"], "0\r\n\r\n"),
  "an empty encoding": doubt(["transfer-encoding:"], "0\r\n\r\n"),
  "chunks behind a tabulator within": doubt(["transfer-encoding: \x0bchunked"], "0\r\n\r\n"),
  "chunks of HTTP/1.0": { bytes: post([json, chunked], "0\r\n\r\n", "1.0") + hidden, ends: "doubt" },
  "a chunk of a negative size": doubt([chunked], "-1\r\n\r\n"),
  "a chunk whose size is too large": doubt([chunked], `${"f".repeat(20)}\r\n\r\n`),
  "a chunk whose size has a prefix": doubt([chunked], "0x2\r\n{}\r\n0\r\n\r\n"),
  "a chunk that is longer than it says": doubt([chunked], "2\r\n{}}\r\n0\r\n\r\n"),
  "a trailer that says another length": doubt([chunked], "2\r\n{}\r\n0\r\ncontent-length: 100\r\n\r\n"),
  "a chunk that ends in LF": doubt([chunked], "2\n{}\n0\n\n"),
  "a chunk with a bare LF in its extension": doubt([chunked], "2;a\n{}\r\n0\r\n\r\n"),
  "a chunk with an extension without end": doubt([chunked], `2;${"a".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
};

const odd = (line: string): Shape => ({ bytes: get("/livez", [line]) + hidden, ends: "doubt" });

const heads: Readonly<Record<string, Shape>> = {
  "a blank before the colon": doubt(["content-length : 2"], "{}"),
  "a tabulator before the colon": doubt(["transfer-encoding\t: chunked"], "0\r\n\r\n"),
  "a header without a colon": odd("x-nothing"),
  "a header without a name": odd(": a"),
  "a header that is folded": odd("x-folded: a\r\n b"),
  "a first header that is folded": { bytes: `GET /livez HTTP/1.1\r\n host: x\r\n\r\n${hidden}`, ends: "doubt" },
  "a NUL in a value": odd("x-nul: a\0b"),
  "a NUL in a name": odd("x-\0: a"),
  "a control character in a value": odd("x-control: a\x01b"),
  "a bare CR in a value": odd("x-cr: a\rb: c"),
  "a bare LF behind a value": odd("x-lf: a\nx-more: b"),
  "lines that end in LF": { bytes: `GET /livez HTTP/1.1\nhost: x\n\n${hidden}`, ends: "doubt" },
  "a name with letters of no name": odd("x(y): a"),
  "no host": { bytes: get("/livez", [], { host: [] }), ends: "refused" },
  "two hosts": { bytes: get("/livez", [], { host: ["host: x", "host: y"] }), ends: "refused" },
  "two equal hosts": { bytes: get("/livez", [], { host: ["host: x", "Host: x"] }), ends: "refused" },
  "a head that is too long": odd(`x-long: ${"a".repeat(300_000)}`),
  "ten thousand headers": odd(
    Array.from({ length: 10_000 }, (_, index) => `x-${index}: ${"b".repeat(20)}`).join("\r\n"),
  ),
};

const line = (first: string): Shape => ({ bytes: `${first}\r\nhost: x\r\n\r\n${hidden}`, ends: "doubt" });

const requestLines: Readonly<Record<string, Shape>> = {
  "no HTTP": line("HELLO"),
  "HTTP/0.9": { bytes: `GET /livez\r\n\r\n${hidden}`, ends: "doubt" },
  "HTTP/2 from the start": { bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ends: "doubt" },
  "a version that there is not": line("GET /livez HTTP/9.9"),
  "a blank in the target": line("GET /live z HTTP/1.1"),
  "a NUL in the target": line("GET /live\0z HTTP/1.1"),
  "a method in small letters": line("get /livez HTTP/1.1"),
  "a method that there is not": line("FETCH /livez HTTP/1.1"),
  "a tunnel": { bytes: `CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n${hidden}`, ends: "doubt" },
  "the greeting of TLS": { bytes: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", ends: "doubt" },
};

const whole: Readonly<Record<string, Shape>> = {
  "two requests at once": { bytes: get("/livez") + get("/livez", closing), ends: 2 },
  "twenty requests at once": { bytes: get("/livez").repeat(19) + get("/livez", closing), ends: 20 },
  "a body before the next": { bytes: post([json, "content-length: 2"], "{}") + get("/livez", closing), ends: 2 },
  "chunks with extensions and trailers": {
    bytes: post([json, chunked], "2;a=b\r\n{}\r\n0\r\nx-after: 1\r\n\r\n") + get("/livez", closing),
    ends: 2,
  },
  "a body of a request that has none": {
    bytes: get("/livez", ["content-length: 2"]) + `{}${get("/livez", closing)}`,
    ends: 2,
  },
  "a body behind its refusal": {
    bytes: post([json, "content-length: 2"], "{}").replace("/wx/wxc/receive", "/nowhere") + get("/livez", closing),
    ends: 2,
  },
  // Data after an upgrade request is not read before the answer, since it could belong to the new protocol.
  "an upgrade to h2c": {
    bytes: get("/livez", [
      "connection: close, upgrade, http2-settings",
      "upgrade: h2c",
      "http2-settings: AAMAAABkAAQAAP__",
    ]),
    ends: 1,
  },
  "an upgrade to a socket": {
    bytes: get("/livez", [
      "connection: close, upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
    ]),
    ends: 1,
  },
  "something before a tunnel": {
    bytes: `${get("/readyz")}CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n`,
    ends: 2,
  },
  "two blanks": { bytes: `GET  /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`, ends: 1 },
  "what may go on is told so": {
    bytes: post([json, "expect: 100-continue", "content-length: 2"], "{}") + get("/livez", closing),
    ends: 2,
  },
  "an expectation that nobody meets": { bytes: get("/livez", ["expect: 200-ok"]) + get("/livez", closing), ends: 2 },
  "a target with its host": { bytes: get("http://elsewhere.example/livez", closing), ends: 1 },
  "a target that is a star": { bytes: `OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`, ends: 1 },
  "a target without a slash": { bytes: get("livez", closing), ends: 1 },
  "a target of dots": { bytes: get("/../../../../etc/passwd", closing), ends: 1 },
  "a target of packed dots": { bytes: get("/file/%2e%2e%2f%2e%2e%2fetc%2fpasswd", closing), ends: 1 },
  "a target of broken percents": { bytes: get("/livez%", closing), ends: 1 },
  "a target that is no UTF-8": { bytes: get("/reporting/%ff%fe", closing), ends: 1 },
  "a parameter that is no UTF-8": { bytes: get("/disease-command/file/%c0%af", closing), ends: 1 },
  "a query that is no UTF-8": { bytes: get("/reporting/informationReporting/list?name=%ff%zz", closing), ends: 1 },
  "a target with a packed NUL": { bytes: get("/disease-command/file/a%00b", closing), ends: 1 },
  "a target of many slashes": { bytes: get("/".repeat(5000), closing), ends: 1 },
  "a long target": { bytes: get(`/${"a".repeat(100_000)}`, closing), ends: 1 },
  "HTTP/1.0": { bytes: get("/livez", [], { version: "1.0" }), ends: 1 },
  "a trace": { bytes: "TRACE /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\nadmin_token: abc\r\n\r\n", ends: 1 },
  // In the next four shapes the earlier requests are answered first, and the error comes last.
  "something before what is no HTTP": { bytes: `${get("/readyz")}HELLO\r\n\r\n`, ends: 2 },
  "much before what is no HTTP": { bytes: `${get("/readyz").repeat(5)}HELLO\r\n\r\n`, ends: 6 },
  "something before two lengths": {
    bytes: get("/readyz") + post([json, "content-length: 2", "content-length: 40"], "{}"),
    ends: 2,
  },
  "something before a broken body": { bytes: get("/readyz") + post([json, chunked], "2\r\n{}}\r\n"), ends: 2 },
  "empty lines before": { bytes: `\r\n\r\n${get("/livez", closing)}`, ends: 1 },
};

export const shapes: Readonly<Record<string, Shape>> = { ...lengths, ...heads, ...requestLines, ...whole };
