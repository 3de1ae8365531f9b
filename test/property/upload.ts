export const formWays = [
  "png",
  "text",
  "script",
  "noFile",
  "twoFiles",
  "wrongName",
  "empty",
  "cutOff",
  "junk",
  "manyFields",
  "longName",
  "nulName",
  "field",
  "noBoundary",
  "emptyBody",
  "json",
  "brokenPart",
] as const;
export type FormWay = (typeof formWays)[number];

interface Form {
  readonly type: string;
  readonly body: Buffer;
  readonly mustFail: boolean;
}

const boundary = "----quintet-boundary";
export const multipart = `multipart/form-data; boundary=${boundary}`;
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);

export const named = (name: string, filename?: string): string =>
  `content-disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}`;

export const partOf = (head: string, content: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), Buffer.from(content), Buffer.from("\r\n")]);

const part = (name: string, content: Buffer | string, filename?: string): Buffer =>
  partOf(named(name, filename), content);

export const whole = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);

const bodies: Record<FormWay, () => Buffer> = {
  png: () => whole(part("month", "2026-11"), part("file", png, "图 1.png")),
  text: () => whole(part("file", "姓名,工号\r\n李四,1\r\n", "list.csv")),
  script: () => whole(part("file", "<!doctype html><script>alert(1)</script>", "page.html")),
  noFile: () => whole(part("month", "2026-11")),
  twoFiles: () => whole(part("file", png, "a.png"), part("file", png, "b.png")),
  wrongName: () => whole(part("upload", png, "a.png")),
  empty: () => whole(part("file", "", "a.png")),
  cutOff: () => part("file", png, "a.png").subarray(0, -20),
  junk: () => Buffer.from("\0\xff--".repeat(300), "latin1"),
  manyFields: () =>
    whole(...Array.from({ length: 40 }, (_, index) => part(`field${index}`, "x")), part("file", png, "a.png")),
  longName: () => whole(part("file", png, `${"长".repeat(2000)}.png`)),
  nulName: () => whole(part("file", png, "a\0/../../b.png")),
  field: () => whole(part("file", "only text")),
  noBoundary: () => whole(part("file", png, "a.png")),
  emptyBody: () => Buffer.alloc(0),
  json: () => Buffer.from('{"file":"x"}'),
  brokenPart: () => Buffer.from(`--${boundary}\r\ncontent-disposition: ;;;=\r\nx\r\n\r\nabc\r\n--${boundary}--`),
};

const types: Partial<Record<FormWay, string>> = { noBoundary: "multipart/form-data", json: "application/json" };
const mayPass: readonly FormWay[] = ["png", "text", "longName", "nulName"];

/** All forms must be refused, except those in `mayPass`, which may succeed. */
export const toForm = (way: FormWay): Form => ({
  type: types[way] ?? multipart,
  body: bodies[way](),
  mustFail: !mayPass.includes(way),
});
