import { place } from "#shared/place.ts";
import { attendanceSection } from "#console/pages/attendance/section.tsx";
import { diseaseCommandSection } from "#console/pages/disease-command/section.tsx";
import { platformSection } from "#console/pages/platform/section.tsx";
import { pushRelaySection } from "#console/pages/push-relay/section.tsx";
import { reportingSection } from "#console/pages/reporting/section.tsx";
import { tuitionPaymentSection } from "#console/pages/tuition-payment/section.tsx";
import { useLanguage } from "#shared/language/language.ts";
import type { Section } from "#console/shell/section.ts";

export const allSections: readonly Section[] = [
  reportingSection,
  attendanceSection,
  pushRelaySection,
  tuitionPaymentSection,
  diseaseCommandSection,
  platformSection,
];

export const sections = allSections.filter(({ service }) => service === "platform" || place.services.includes(service));

export const platformFirst = sections.toSorted(
  (one, other) => Number(other.service === "platform") - Number(one.service === "platform"),
);

const findSection = (service: string): Section | undefined =>
  allSections.find((section) => section.service === service);

export function useServiceNames(): (service: string) => string {
  const [language] = useLanguage();
  return (service) => (service === "platform" ? platformName : findSection(service)?.title)?.[language] ?? service;
}

const platformName = { zh: "平台", en: "Platform" };

export function useAccountNames(): (service: string) => string {
  const [language] = useLanguage();
  return (service) => findSection(service)?.accounts?.title[language] ?? service;
}
