import assert from "node:assert/strict";
import { test } from "node:test";
import { toNameKey } from "./name-key.ts";

test("names that look alike have one key", () => {
  const families: Record<string, string[]> = {
    "case, full width, ligatures": ["Office", "OFFICE", "Ｏｆｆｉｃｅ", "o\u{FB03}ce", "\u{1D428}ffice"],
    "what cannot be seen": [
      "office",
      "off\u200Bice",
      "\uFEFFoffice",
      "of\u00ADfice\u2060",
      "office\u202E",
      "o\u0000ffice",
    ],
    blanks: [
      "the office",
      " the office ",
      "the\u00A0office",
      "the\u3000office\t",
      "the \u2003 office",
      "\u3164the office",
    ],
    "Cyrillic and Greek letters": [
      "operator",
      "\u043Ep\u0435r\u0430t\u043Er",
      "OPER\u0391TOR",
      "\u041EPERAT\u041ER",
      "\u03BFperator",
    ],
    "one letter of two marks": ["m\u00FCller", "mu\u0308ller", "M\u00DCLLER"],
    Chinese: ["张老师", "张老师 ", "张\u200D老师"],
  };
  for (const [what, names] of Object.entries(families))
    assert.equal(new Set(names.map(toNameKey)).size, 1, `${what}: ${names.map(toNameKey).join(" | ")}`);
});

test("names that can be told apart have keys of their own", () => {
  const names = [
    "zhang",
    "zhang1",
    "zhangl",
    "zhang 1",
    "zhang.1",
    "muller",
    "m\u00FCller",
    "张老师",
    "张老",
    "王老师",
    "\u0436",
  ];
  assert.equal(new Set(names.map(toNameKey)).size, names.length);
});
