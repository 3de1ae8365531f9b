// Rows that people or programs put below a table: sums and signatures. They are told by the words at the place of a name,
// and by having no id of anybody.

const MOST_CHARS = 64;
// A name goes on behind the word, a mark does not: 负责人某 is somebody.
const TOTAL = /^(?:合\s*计|总\s*计|小\s*计)\s*(?:$|[\d:：(（])/;
const SIGNATURE = /^(?:制\s*表|审\s*核|负\s*责)\s*人?\s*(?:$|[:：(（_])/;
const SPACED_SIGNATURE = /^(?:制\s*表|审\s*核|负\s*责)\s*人\s/;
// No name has a colon in it.
const TITLED_SIGNATURE = /^[^\s:：]{0,6}(?:制表|审核|负责)人?\s*[:：]/;

/** True for 合计, 总计, 小计, and for 制表人, 审核人, 负责人 with or without the name behind them. */
export function isMark(text: string): boolean {
  if (text.length > MOST_CHARS) return false;
  return [TOTAL, SIGNATURE, SPACED_SIGNATURE, TITLED_SIGNATURE].some((pattern) => pattern.test(text));
}
