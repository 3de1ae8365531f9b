import type { Dimensions, Places } from "#platform/contract/scope.ts";

export const dimensions: Dimensions = {
  trade: { label: { zh: "所属行业", en: "Industry" } },
  company: { label: { zh: "单位名称", en: "Organisation" } },
};

export const places: Places = { trade: "trade", company: "company" };
