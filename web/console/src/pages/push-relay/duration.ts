import type { RelayTexts } from "#console/pages/push-relay/texts.ts";

/** 350 is "350 ms", 15000 is "15 s", 1549 is "1.5 s". */
export const formatDuration = (ms: number, t: RelayTexts): string =>
  ms < 1000 ? t.ms(String(ms)) : t.seconds(String(Math.round(ms / 100) / 10));
