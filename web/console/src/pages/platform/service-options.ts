import type { Option } from "#console/blocks/fields.tsx";
import { place } from "#shared/place.ts";
import { useServiceNames } from "#console/sections.ts";

export function useServiceOptions(): Option[] {
  const nameService = useServiceNames();
  return ["platform", ...place.services].map((value) => ({ value, label: nameService(value) }));
}
