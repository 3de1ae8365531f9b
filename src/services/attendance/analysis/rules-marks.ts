import type { PunchMark } from "#services/attendance/model.ts";
import type { FindCampus, PunchPlace } from "./rules-campus.ts";
import { isOffSite, type PunchMeaning, readResult } from "./rules-results.ts";

/** What a mark says of every punch that bears it. */
export interface MarkReading extends PunchPlace {
  readonly meaning: PunchMeaning;
  /** Somebody was there (A10). */
  readonly isPunch: boolean;
  /** At a known address outside every campus, or marked 外勤 (A14), without an application for it. */
  readonly isAbnormal: boolean;
}

export type ReadMark = (mark: PunchMark) => MarkReading;

/** Reads each mark once: a month of an employee has a dozen. */
export function openMarkReader(findCampus: FindCampus): ReadMark {
  const known = new Map<PunchMark, MarkReading>();
  return (mark) => {
    const reading = known.get(mark) ?? readMark(mark, findCampus);
    known.set(mark, reading);
    return reading;
  };
}

const isPunchMeaning = (meaning: PunchMeaning): boolean =>
  meaning !== "void" && meaning !== "excused" && meaning !== "missing";

/** Whether a row with that result is a punch, if it has a time (A10). */
export const isValidPunch = (result: string): boolean => isPunchMeaning(readResult(result));

function readMark({ result, address }: PunchMark, findCampus: FindCampus): MarkReading {
  const meaning = readResult(result);
  const campus = findCampus(address);
  const isMarked = isOffSite(result);
  const isElsewhere = campus === undefined && (isMarked || address !== "");
  const isPunch = isPunchMeaning(meaning);
  const isAbnormal = meaning !== "approved" && (isMarked || isElsewhere);
  return { meaning, isPunch, campus, isElsewhere, isAbnormal };
}
