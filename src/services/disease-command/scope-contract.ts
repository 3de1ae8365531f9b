import type { Dimensions } from "#platform/contract/scope.ts";

/** Scope dimensions: accounts may be restricted to their hospital or toilets. */
export const dimensions: Dimensions = {
  hospitalName: { label: { zh: "医院", en: "Hospital" } },
  itemNo: { label: { zh: "公厕编号", en: "Toilet number" } },
};
