// The results are sorted by importance: a grid cell shows the first one that applies.

export const dayKinds = [
  "absent",
  "missing",
  "late",
  "early",
  "abnormal",
  "trip",
  "leave",
  "other",
  "normal",
  "rest",
] as const;
export type DayKind = (typeof dayKinds)[number];

export const filterKinds: readonly DayKind[] = [
  "absent",
  "missing",
  "late",
  "early",
  "abnormal",
  "leave",
  "trip",
  "other",
];

export type KindSet = number;

export const bitOf = (kind: DayKind): KindSet => 1 << dayKinds.indexOf(kind);
export const hasKind = (set: KindSet, kind: DayKind): boolean => (set & bitOf(kind)) !== 0;
export const listKinds = (set: KindSet): DayKind[] => dayKinds.filter((kind) => hasKind(set, kind));

// A segment of a cell may begin with the name of the shift and a colon; the event follows.
const patterns: readonly (readonly [DayKind, RegExp])[] = [
  ["missing", /(?:缺卡|未打卡)$/],
  ["late", /迟到(?:\d+小时)?(?:\d+分钟)?$/],
  ["absent", /旷工$/],
  ["early", /早退(?:\d+小时)?(?:\d+分钟)?$/],
  ["abnormal", /外勤(?:打卡)?$/],
  ["trip", /(?:^|[:：])(?:出差|外出)/],
  ["leave", /(?:^|[:：])(?:[\p{Script=Han}]{0,8}假|请假|调休)/u],
  ["rest", /(?:^|[:：])(?:休息|节假日)/],
  ["normal", /(?:正常|补卡审批通过)$/],
];
// Notes that accompany a result and do not affect it.
const beside = /^[(（].*[)）]$|(?:^|[:：])(?:加班|补卡申请)/;
const nobody = /(?:不在考勤组|未加入考勤组|未排班)(?:并打卡)?$/;

/** Returns the results in a cell: late for `普通出勤:上班迟到5分钟；(08:35,18:00)`, none for an empty text. */
export function readDay(text: string): KindSet {
  if (text === "") return 0;
  let set: KindSet = 0;
  for (const line of text.split("；")) {
    if (beside.test(line)) continue;
    for (const piece of line.split(/[,，]/)) set |= readPiece(piece.trim());
  }
  return set;
}

function readPiece(piece: string): KindSet {
  if (piece === "" || beside.test(piece) || nobody.test(piece)) return 0;
  const kind = patterns.find(([, pattern]) => pattern.test(piece))?.[0];
  return bitOf(kind ?? "other");
}

/** Returns the punches, such as `08:11–18:32`, which current exports put in brackets at the end of a cell; else "". */
export function readClock(text: string): string {
  const inside = /[(（]([^()（）]*)[)）]$/.exec(text)?.[1] ?? "";
  const times = inside.split(",").map((time) => time.trim());
  return times.every((time) => time === "-" || time === "")
    ? ""
    : times.map((time) => (time === "-" ? "…" : time)).join("–");
}
