import { shapes } from "./shapes.ts";

export type Random = () => number;

const pick = <Item>(items: readonly Item[], random: Random): Item => items[Math.floor(random() * items.length)] as Item;

const oddBytes = [..."\0\r\n\t \x0b:,;%\x7f\xff0f-", "\r\n", "\xc0\xaf"];
const oddLines = [
  "content-length: 5",
  "content-length: 0",
  "transfer-encoding: chunked",
  "transfer-encoding: gzip, chunked",
  "connection: close",
  "connection: keep-alive, content-length",
  "host: y",
  "expect: 100-continue",
  "trailer: content-length",
  "x-forwarded-for: 10.0.0.1",
  "accept: text/html",
  "accept-encoding: gzip;q=nan",
  "range: bytes=0-",
];

type Mutation = (text: string, random: Random) => string;

const cut = (text: string, at: number, length: number, between: string): string =>
  text.slice(0, at) + between + text.slice(at + length);

const mutations: readonly Mutation[] = [
  (text, random) => cut(text, random() * text.length, 0, pick(oddBytes, random)),
  (text, random) => cut(text, random() * text.length, 1, pick(oddBytes, random)),
  (text, random) => cut(text, random() * text.length, random() * 20, ""),
  (text, random) => text.slice(0, random() * text.length),
  (text, random) => {
    const lines = text.split("\r\n");
    lines.splice(1 + Math.floor(random() * (lines.length - 1)), 0, pick(oddLines, random));
    return lines.join("\r\n");
  },
  (text, random) => {
    const lines = text.split("\r\n");
    const line = pick(lines, random);
    lines.splice(Math.floor(random() * lines.length), 0, line);
    return lines.join("\r\n");
  },
  (text, random) => text.replaceAll("\r\n", (end) => (random() < 0.1 ? "\n" : end)),
  (text, random) => text + pick(Object.values(shapes), random).bytes,
];

export function mutateShape(random: Random): string {
  let text = pick(Object.values(shapes), random).bytes.slice(0, 20_000);
  for (let left = 1 + Math.floor(random() * 4); left > 0; left--) text = pick(mutations, random)(text, random);
  return text;
}

export function split(bytes: Buffer, random: Random): Buffer[] {
  const cuts = random() < 0.5 ? 0 : Math.floor(random() * 5);
  const places = Array.from({ length: cuts }, () => Math.floor(random() * bytes.length)).toSorted((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}
