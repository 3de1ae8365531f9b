import { checkPart, type HealthPart } from "#platform/process/health.ts";
import type { Desk } from "./desk.ts";
import { readHealthFigures } from "./history-store.ts";

export const overdueSeconds = 300;
export const failingSeconds = 3600;

/** Whether what orders need by themselves is done: degraded where it is late, or a gateway refuses a refund for an hour. */
export const checkPayments = ({ platform: { pool }, gateways }: Desk): Promise<HealthPart> =>
  checkPart("payments", { zh: "学费支付", en: "Tuition payment" }, async () => {
    const figures = await readHealthFigures(pool, failingSeconds);
    const isTroubled = figures.overdueSeconds > overdueSeconds || figures.failingRefunds > 0;
    return {
      state: isTroubled ? "degraded" : "ok",
      figures: { gateways: [...gateways.all.keys()].join(", ") || null, ...figures },
    };
  });
