// The table of docs/asvs.md: each item once, at its level, in its order, with a state and a reason; and the counts on top.

/** The levels of the items of each section, in their order: in ASVS 5.0.0 section 1.2 has five of level 1, then four of 2. */
const sections: Readonly<Record<string, string>> = {
  "1.1": "22",
  "1.2": "1111122223",
  "1.3": "112222222223",
  "1.4": "222",
  "1.5": "123",
  "2.1": "122",
  "2.2": "112",
  "2.3": "12223",
  "2.4": "23",
  "3.1": "3",
  "3.2": "113",
  "3.3": "12223",
  "3.4": "11222233",
  "3.5": "11122333",
  "3.6": "3",
  "3.7": "22333",
  "4.1": "12233",
  "4.2": "23333",
  "4.3": "22",
  "4.4": "1222",
  "5.1": "2",
  "5.2": "112333",
  "5.3": "113",
  "5.4": "222",
  "6.1": "122",
  "6.2": "111111112222",
  "6.3": "11223333",
  "6.4": "112233",
  "6.5": "22222333",
  "6.6": "2223",
  "6.7": "33",
  "6.8": "2222",
  "7.1": "222",
  "7.2": "1111",
  "7.3": "22",
  "7.4": "11222",
  "7.5": "223",
  "7.6": "22",
  "8.1": "1233",
  "8.2": "1123",
  "8.3": "133",
  "8.4": "23",
  "9.1": "111",
  "9.2": "1222",
  "10.1": "22",
  "10.2": "223",
  "10.3": "22223",
  "10.4": "1111122222233333",
  "10.5": "22222",
  "10.6": "22",
  "10.7": "222",
  "11.1": "2233",
  "11.2": "22233",
  "11.3": "11233",
  "11.4": "1222",
  "11.5": "23",
  "11.6": "23",
  "11.7": "33",
  "12.1": "12233",
  "12.2": "11",
  "12.3": "22223",
  "13.1": "2333",
  "13.2": "222223",
  "13.3": "2233",
  "13.4": "1222233",
  "14.1": "22",
  "14.2": "12223333",
  "14.3": "122",
  "15.1": "12233",
  "15.2": "12233",
  "15.3": "1222222",
  "15.4": "3333",
  "16.1": "2",
  "16.2": "22222",
  "16.3": "2222",
  "16.4": "222",
  "16.5": "2223",
  "17.1": "23",
  "17.2": "22223333",
  "17.3": "22",
};

const listItems = (): string[] =>
  Object.entries(sections).flatMap(([section, levels]) =>
    [...levels].flatMap((level, index) => (level === "3" ? [] : [`${section}.${index + 1} of level ${level}`])),
  );

const row = /^\| (\d+\.\d+\.\d+) \| ([12]) \| (.+?) \| (met|n\/a|open) \| (.+?) \|$/;

/** Files that a row names in code; those of the project have a folder or are hidden. */
const named = /`((?:\.|[a-z][\w-]*)[\w./-]*\.[a-z]+|\.dockerignore)`/g;

export interface Judged {
  readonly items: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** Files that the reasons name. */
  readonly files: readonly string[];
  readonly faults: readonly string[];
}

/** What is wrong with the table. */
export function judgeTable(page: string): Judged {
  const rows = page.split("\n").filter((line) => /^\| \d/.test(line));
  const read = rows.flatMap((line) => (row.exec(line) ? [row.exec(line) as RegExpExecArray] : []));
  const items = read.map(([, item, level]) => `${item} of level ${level}`);
  const counts = { met: 0, "n/a": 0, open: 0 };
  for (const [, , , , state] of read) counts[state as keyof typeof counts]++;
  const said = `Of ${read.length} items ${counts.met} are met, ${counts["n/a"]} do not apply, ${counts.open} are open.`;
  const expected = listItems();
  return {
    items,
    counts,
    files: read.flatMap(([, , , , , reason = ""]) => [...reason.matchAll(named)].map(([, file = ""]) => file)),
    faults: [
      ...rows.filter((line) => !row.test(line)).map((line) => `no row: ${line}`),
      ...expected.filter((item) => !items.includes(item)).map((item) => `${item} is missing`),
      ...items
        .filter((item, index) => expected[index] !== item)
        .slice(0, 1)
        .map((item) => `${item} is out of its place`),
      ...(page.includes(said) ? [] : [`it must say: ${said}`]),
    ],
  };
}
