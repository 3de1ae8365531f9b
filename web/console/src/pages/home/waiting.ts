import { attendanceWaiting } from "#console/pages/attendance/home/waiting.ts";
import { diseaseWaiting } from "#console/pages/disease-command/home/waiting.ts";
import { platformWaiting } from "#console/pages/platform/home/waiting.ts";
import { pushRelayWaiting } from "#console/pages/push-relay/home/waiting.ts";
import { reportingWaiting } from "#console/pages/reporting/home/waiting.ts";
import { tuitionWaiting } from "#console/pages/tuition-payment/home/waiting.ts";
import type { WaitingRead } from "#console/shell/waiting.ts";

export const waiting: readonly WaitingRead[] = [
  ...reportingWaiting,
  ...attendanceWaiting,
  ...pushRelayWaiting,
  ...tuitionWaiting,
  ...diseaseWaiting,
  ...platformWaiting,
];
