import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { contracts } from "#quintet/app.ts";

// What people read of the console and of the pages for everybody, held against the table of docs/glossary.md: one word a thing, in both languages.

const source = fileURLToPath(new URL("../../", import.meta.url));
const glossary = await readFile(new URL("../../../docs/glossary.md", import.meta.url), "utf8");

interface Word {
  readonly zh: string;
  readonly en: string;
  /** What is said in its place nowhere; in quotation marks: as a whole text. */
  readonly not: readonly string[];
}

const words: readonly Word[] = glossary
  .slice(glossary.indexOf("## Words of the console"))
  .split("\n")
  .filter((line) => /^\| [^-]/.test(line))
  .slice(1)
  .map((line) => {
    const [, zh = "", en = "", not = ""] = line.split("|").map((cell) => cell.trim());
    return { zh, en, not: not.split(", ") };
  });

/** The texts of a file: what stands in quotation marks, without its places for figures. */
const readTexts = (code: string): string[] =>
  [
    ...code
      .replaceAll(/^import .*$/gm, "")
      .replaceAll(/^\s*\/\/.*$/gm, "")
      .matchAll(/"((?:[^"\\\n]|\\.)*)"(?!:)|`((?:[^`\\]|\\.)*)`/g),
  ]
    .map(([, plain, template = ""]) => plain ?? template)
    .filter((text) => text !== "");

async function listTexts(): Promise<{ file: string; text: string }[]> {
  const found: { file: string; text: string }[] = [];
  for await (const file of glob(
    "{console/src,public,screen,shared}/**/{texts,figure-names,action-names,setting-words,section,pages}.{ts,tsx}",
    { cwd: source },
  ))
    for (const text of readTexts(await readFile(`${source}/${file}`, "utf8"))) found.push({ file, text });
  for (const { name, title, about } of contracts)
    for (const text of [title.zh, title.en, about.zh, about.en]) found.push({ file: `the contract of ${name}`, text });
  return found;
}

const texts = await listTexts();

const isLatin = (word: string): boolean => /^[\w ."-]+$/.test(word);

/** Whether a text has a word: Chinese anywhere, English as a word of its own, in whatever case. */
function hasWord(text: string, word: string): boolean {
  const whole = /^"(.*)"$/.exec(word)?.[1];
  if (whole !== undefined) return text === whole;
  return isLatin(word) ? new RegExp(`\\b${word}\\b`, "i").test(text) : text.includes(word);
}

test("every thing has one word, in both languages", () => {
  assert.ok(words.length > 30 && texts.length > 2000, "the test must have read the table and the texts");
  const wrong = words.flatMap(({ zh, en, not }) =>
    not.flatMap((word) =>
      texts
        .filter(({ text }) => hasWord(text, word))
        .map(({ file, text }) => `${file}: ${text} (${isLatin(word) ? en : zh}, not ${word})`),
    ),
  );
  assert.deepEqual(wrong, []);
});

test("the words of the table are those that are used", () => {
  const unused = words.flatMap(({ zh, en }) =>
    [zh, en.replace(/\.$/, "")].filter(
      (word) => !texts.some(({ text }) => text.toLowerCase().includes(word.toLowerCase())),
    ),
  );
  assert.deepEqual(unused, []);
});

test("English texts hold no Chinese punctuation", async () => {
  const english = texts.filter(({ text }) => !/\p{Script=Han}/u.test(text));
  assert.deepEqual(
    english.filter(
      ({ text }) => /[，。：；、（）？！]/.test(text) && /[a-z]{3}/i.test(text.replaceAll(/\$\{[^}]*\}/g, "")),
    ),
    [],
  );
});
