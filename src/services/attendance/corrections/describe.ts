import { type Bilingual, countOf } from "#platform/contract/language.ts";
import { writeDay } from "#services/attendance/days.ts";
import type { Correction } from "#services/attendance/model.ts";

const kinds: Readonly<Record<Correction["kind"], Bilingual>> = {
  present: { zh: "出勤", en: "attended" },
  onTime: { zh: "未迟到早退", en: "on time" },
  leave: { zh: "请假", en: "on leave" },
  none: { zh: "不计", en: "not counted" },
};

const more = ({ campus, hours }: Correction): Bilingual => {
  if (campus !== null) return { zh: `（校区${campus}）`, en: ` at campus ${campus}` };
  return hours === null ? { zh: "", en: "" } : { zh: `（${hours} 小时）`, en: ` for ${countOf(hours, "hour")}` };
};

export function describeCorrection(correction: Correction & { readonly name: string }): Bilingual {
  const { name, day, kind, evidence, madeBy } = correction;
  const [date, as, where] = [writeDay(day), kinds[kind], more(correction)];
  return {
    zh: `${name} ${date} ${as.zh}${where.zh}：${evidence}（${madeBy}）`,
    en: `${name} ${date} ${as.en}${where.en}: ${evidence} (${madeBy})`,
  };
}

export const toDayCorrection = ({ day, kind, campus, hours, evidence, madeBy }: Correction) => ({
  day: writeDay(day),
  kind,
  campus,
  hours,
  evidence,
  madeBy,
});
