import { campus1, campus2, elsewhere } from "./employee-month.ts";

// Real exports contain these kinds of days. The expected results of each kind are written by hand, so that the analysis
// is not tested against itself.

/** A clock-in or clock-out of a shift; its times are minutes from the start of the day that it counts for. */
export interface Slot {
  readonly name: `${"上班" | "下班"}${number}`;
  readonly due: number;
  clock: number | null;
  daily: string;
  /** The result in 原始记录; null if the sheet has no row for the slot, as for a missing punch. */
  raw: string | null;
  address: string;
}

/** A further row of 原始记录; `clock` is null if the row's time is blank. */
export interface ExtraPunch {
  readonly clock: number | null;
  readonly raw: string;
  readonly address: string;
}

/**
 * The fields before `isThere` describe the contents of the sheets; `isThere` and the fields below are the expected
 * results.
 */
export interface KnownDay {
  shift: string;
  slots: Slot[];
  readonly extra: ExtraPunch[];
  /** The events in the day cell: lateness and the like by slot and minutes, other events as text. */
  events: (string | { readonly slot: Slot; readonly word: string; readonly minutes?: number })[];
  isThere: boolean;
  isAbsent: boolean;
  missing: string[];
  late: { readonly slot: Slot; readonly minutes: number }[];
  marked: Slot[];
}

export interface Luck {
  below(most: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

type Kind = (day: KnownDay, luck: Luck, date: string) => void;

const slotsOf = ({ slots }: KnownDay, word: "上班" | "下班"): Slot[] =>
  slots.filter(({ name }) => name.startsWith(word));
const takeAway = (slots: readonly Slot[], daily: string, raw: string | null = null): void => {
  for (const slot of slots) Object.assign(slot, { clock: null, daily, raw, address: "" });
};

const late =
  (word: string, least: number, most: number): Kind =>
  (day, luck) => {
    const slot = luck.pick(slotsOf(day, word === "早退" ? "下班" : "上班"));
    const minutes = least + luck.below(most - least + 1);
    slot.clock = word === "早退" ? slot.due - minutes : slot.due + minutes;
    slot.raw = word;
    slot.daily = luck.pick([word, `${word}${minutes}分钟`]);
    day.events = [{ slot, word, minutes }];
    day.late = [{ slot, minutes }];
  };

const lose = (day: KnownDay, slots: readonly Slot[]): void => {
  takeAway(slots, "缺卡");
  day.events = slots.map((slot) => ({ slot, word: "缺卡" }));
  day.missing = slots.map(({ name }) => name);
};

const missing =
  (word: "上班" | "下班"): Kind =>
  (day, luck) =>
    lose(day, [luck.pick(slotsOf(day, word))]);

/** The person is away all day, so every slot has the same text. */
const away =
  (event: (date: string) => string, daily: string, raw: string | null = null): Kind =>
  (day, _luck, date) => {
    takeAway(day.slots, daily, raw);
    Object.assign(day, { events: [event(date.slice(5))], isThere: false });
  };

const leave = (hours: number) => (date: string) => `事假${date} 08:30到${date} 17:30 ${hours}小时`;
const trip = (date: string): string => `出差${date} 08:30到${date} 18:00 1天`;

const short: Kind = (day) => {
  lose(day, day.slots);
  day.isThere = false;
};

/** A day off, which has slots only if the person comes to work anyway. */
const free =
  (shift: string, cell: string, clocks: readonly [daily: string, raw: string] | null): Kind =>
  (day, luck) => {
    day.shift = shift;
    day.events = [cell].filter((text) => text !== "");
    const [daily, raw] = clocks ?? ["", null];
    day.slots = clocks
      ? day.slots.slice(0, 2).map((slot) => ({ ...slot, daily, raw, clock: slot.due + luck.below(30) }))
      : [];
    day.isThere = clocks !== null;
  };

/** Corrected punches; the day cell may still state the missing ones. */
const correct =
  (raw: string, isAll: boolean): Kind =>
  (day, luck) => {
    const slots = isAll ? day.slots : [luck.pick(day.slots)];
    for (const slot of slots) Object.assign(slot, { clock: slot.due, daily: raw, raw, address: "" });
    day.events = luck.pick([["正常"], slots.map((slot) => ({ slot, word: "缺卡" }))]);
  };

const voids = [
  "打卡无效:此记录已被更新",
  "打卡无效：当前不在可打卡的时间范围，请和管理员联系",
  "打卡无效:已经打过卡了，上班时间以最早打卡时间为准",
];
const addVoids = (day: KnownDay, luck: Luck): void => {
  for (const raw of voids.slice(luck.below(3)))
    day.extra.push({ clock: 400 + luck.below(60), raw, address: elsewhere });
};

const underApplication =
  (word: string, event: (date: string) => string): Kind =>
  (day, luck, date) => {
    const [first, ...others] = day.slots;
    if (!first) return;
    Object.assign(first, { clock: first.due + 1 + luck.below(40), daily: word, raw: word });
    if (word === "出差") takeAway(others, word);
    day.events = [event(date.slice(5))];
  };

export const workKinds: Readonly<Record<string, readonly [share: number, kind: Kind]>> = {
  normal: [480, () => undefined],
  late: [80, late("迟到", 1, 60)],
  "seriously late": [15, late("严重迟到", 61, 120)],
  "so late that it is absence": [8, late("旷工迟到", 121, 170)],
  "at the very edges": [
    20,
    (day, luck, date) => {
      const edge = luck.pick([20, 30]);
      late(luck.pick(["迟到", "早退"]), edge, edge + 1)(day, luck, date);
    },
  ],
  "left early": [40, late("早退", 1, 90)],
  "no punch before work": [30, missing("上班")],
  "no punch after work": [40, missing("下班")],
  "no punch of the last pair": [
    15,
    (day, luck, date) => (day.slots.length > 2 ? lose(day, day.slots.slice(2)) : missing("下班")(day, luck, date)),
  ],
  "every punch missing": [20, short],
  "every punch missing or invalid": [5, (day, luck, date) => (short(day, luck, date), addVoids(day, luck))],
  "one punch not needed, the next missing": [
    8,
    (day) => {
      takeAway(day.slots.slice(0, 1), "未打卡");
      lose(day, day.slots.slice(1, 2));
      day.isThere = day.slots.length > 2;
    },
  ],
  "clocked, without a raw row": [
    8,
    (day) => {
      for (const slot of day.slots) slot.raw = null;
    },
  ],
  "no punch needed": [10, away(() => "未打卡", "未打卡")],
  leave: [40, away(leave(8), "请假")],
  "leave, with rows of it": [5, away(leave(8), "请假", "请假")],
  "leave of whoever clocked": [
    5,
    (day, _luck, date) => {
      for (const slot of day.slots) Object.assign(slot, { daily: "请假", raw: "请假" });
      Object.assign(day, { events: [leave(8)(date.slice(5))], isThere: false });
    },
  ],
  "half a day of leave": [
    20,
    (day, _luck, date) => {
      takeAway(day.slots.slice(0, 1), "请假");
      day.events = ["", leave(3.5)(date.slice(5))];
    },
  ],
  "business trip": [15, away(trip, "出差", "出差")],
  "business trip with a punch": [10, underApplication("出差", trip)],
  out: [20, underApplication("外出", (date) => `外出${date} 08:30到${date} 10:00 1.5小时`)],
  "overtime after work": [
    20,
    (day, _luck, date) => {
      day.extra.push({ clock: 1350, raw: "加班", address: day.slots[0]?.address ?? "" });
      day.events = ["正常", `加班${date.slice(5)} 18:00到${date.slice(5)} 22:00 4小时`];
    },
  ],
  absence: [
    15,
    (day, luck, date) => {
      away(() => "旷工", luck.pick(["缺卡", "未打卡"]))(day, luck, date);
      day.isAbsent = true;
    },
  ],
  "invalid punches beside valid ones": [30, addVoids],
  "a punch approved later": [25, correct("补卡审批通过", false)],
  "a punch corrected by hand": [15, correct("管理员某某改为正常", false)],
  "all punches approved later": [10, correct("补卡审批通过", true)],
  "marked as outside": [
    10,
    (day, luck) => {
      const [first] = day.slots;
      if (!first) return;
      Object.assign(first, { raw: "外勤", daily: luck.pick(["外勤", "正常"]) });
      day.marked = [first];
    },
  ],
  "from one campus to the other": [
    20,
    (day) => {
      const last = day.slots.at(-1);
      if (last) last.address = last.address === campus1 ? campus2 : campus1;
    },
  ],
  "no group": [8, free("不在考勤组", "", null)],
  "no group, yet clocked": [4, free("不在考勤组", "不在考勤组并打卡", ["正常", "正常"])],
};

export const freeKinds: typeof workKinds = {
  rest: [850, free("休息", "休息", null)],
  "clocked on a day of rest": [80, free("休息", "休息并打卡", ["正常", "正常"])],
  "overtime with a punch": [40, free("休息", "休息并打卡", ["加班", "加班"])],
  "overtime without a punch": [
    30,
    (day, luck, date) => {
      free("休息", "休息", null)(day, luck, date);
      day.events.push(`加班${date.slice(5)} 08:30到${date.slice(5)} 17:30 8小时`);
      day.extra.push({ clock: null, raw: "加班", address: "" });
    },
  ],
};

export function pickKind(kinds: typeof workKinds, luck: Luck): Kind {
  let left = luck.below(Object.values(kinds).reduce((sum, [share]) => sum + share, 0));
  for (const [share, kind] of Object.values(kinds)) if ((left -= share) < 0) return kind;
  throw new Error("shares do not add up");
}
