import { attendancePages } from "#console/pages/attendance/pages.ts";
import { diseaseCommandPages } from "#console/pages/disease-command/pages.ts";
import { platformPages } from "#console/pages/platform/pages.ts";
import { pushRelayPages } from "#console/pages/push-relay/pages.ts";
import { reportingPages } from "#console/pages/reporting/pages.ts";
import { tuitionPaymentPages } from "#console/pages/tuition-payment/pages.ts";
import type { Page } from "#console/shell/section.ts";

export const pages: Readonly<Record<string, readonly Page[]>> = {
  reporting: reportingPages,
  attendance: attendancePages,
  "push-relay": pushRelayPages,
  "tuition-payment": tuitionPaymentPages,
  "disease-command": diseaseCommandPages,
  platform: platformPages,
};
