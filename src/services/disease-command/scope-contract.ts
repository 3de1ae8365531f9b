import type { Dimensions } from "#platform/contract/scope.ts";

export const dimensions: Dimensions = {
  hospitalName: { label: { zh: "医院", en: "Hospital" } },
  itemNo: { label: { zh: "公厕编号", en: "Toilet number" } },
};
