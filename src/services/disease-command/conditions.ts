import { formatDateTime } from "#platform/contract/times.ts";
import type { Condition } from "#platform/process/condition.ts";
import { listSilentHospitals } from "./statistics-store.ts";

const dayMs = 86_400_000;
/** A hospital that has not reported for more than this many days is assumed to have closed its fever clinic. */
const knownDays = 7;
const dueHour = 18;

/**
 * Returns the latest day whose statistics are due: today after the due hour, and yesterday before it. A hospital that
 * has missed a day is therefore still listed after midnight.
 */
export function findDueDay(nowMs: number, zone: string): string {
  const [today = "", time = ""] = formatDateTime(new Date(nowMs), zone).split(" ");
  if (Number(time.slice(0, 2)) >= dueHour) return today;
  return new Date(Date.parse(`${today}T00:00:00Z`) - dayMs).toISOString().slice(0, 10);
}

export const hospitalSilent: Condition = {
  name: "hospital-silent",
  title: { zh: "医院未上报发热门诊数据", en: "A hospital has not reported its fever-clinic figures" },
  remedy: { zh: "联系该医院，补报发热门诊数据", en: "Ask the hospital to enter its fever-clinic figures" },
  severity: "warning",
  find: async ({ platform: { pool, settings }, nowMs }) => {
    const day = findDueDay(nowMs, settings.TIME_ZONE);
    return (await listSilentHospitals(pool, day, knownDays)).map(({ hospital, lastDay }) => ({
      subject: hospital,
      says: {
        zh: `${hospital}最近一次上报的是 ${lastDay} 的发热门诊数据`,
        en: `${hospital} last reported fever-clinic figures for ${lastDay}`,
      },
      figures: { lastDay },
    }));
  },
};
