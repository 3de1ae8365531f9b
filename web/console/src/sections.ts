import { place } from "#console/place.ts";
import { attendanceSection } from "#console/pages/attendance/section.tsx";
import { diseaseCommandSection } from "#console/pages/disease-command/section.tsx";
import { platformSection } from "#console/pages/platform/section.tsx";
import { pushRelaySection } from "#console/pages/push-relay/section.tsx";
import { reportingSection } from "#console/pages/reporting/section.tsx";
import { tuitionPaymentSection } from "#console/pages/tuition-payment/section.tsx";
import type { Section } from "#console/shell/section.ts";

const all: readonly Section[] = [
  reportingSection,
  attendanceSection,
  pushRelaySection,
  tuitionPaymentSection,
  diseaseCommandSection,
  platformSection,
];

/** The sections of what is served here, in the order of the menu. */
export const sections = all.filter(
  ({ service }) => service === "platform" || place.services.some((name) => name === service),
);
