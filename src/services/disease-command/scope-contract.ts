import type { Dimensions } from "#platform/contract/scope.ts";

/** By what an administrator is narrowed to the hospital, or the toilets, that the account looks after. */
export const dimensions: Dimensions = {
  hospitalName: { label: { zh: "医院", en: "Hospital" } },
  itemNo: { label: { zh: "公厕编号", en: "Toilet number" } },
};
