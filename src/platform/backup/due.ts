const dayMs = 86_400_000;
/** Asia/Shanghai has had no summer time since 1991. */
const shanghaiMs = 8 * 3_600_000;
const retryMs = 30 * 60_000;

/** What has been tried: when each began. */
export interface Tried {
  readonly wholeAt: Date | undefined;
  readonly failedAt: Date | undefined;
}

/**
 * Whether a nightly backup is due: none was begun since the last time that it was its hour, and the last failure is half an
 * hour ago. @param time of the day in Asia/Shanghai, such as 03:00
 */
export function isDue(time: string, { wholeAt, failedAt }: Tried, now: Date): boolean {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  const ofDayMs = (hour * 60 + minute) * 60_000 - shanghaiMs;
  const lastMs = Math.floor((now.getTime() - ofDayMs) / dayMs) * dayMs + ofDayMs;
  if (wholeAt && wholeAt.getTime() >= lastMs) return false;
  return !failedAt || now.getTime() - failedAt.getTime() >= retryMs;
}
