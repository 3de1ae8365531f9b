import type { Option } from "#console/blocks/fields.tsx";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/platform/texts.ts";
import { place } from "#console/place.ts";

/** The platform and the services that are served here, to choose from. */
export function useServiceOptions(): Option[] {
  const t = useTexts(texts);
  return (["platform", ...place.services] as const).map((value) => ({ value, label: t.services[value] }));
}
