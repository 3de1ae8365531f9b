import type { Dimensions, Places } from "#platform/contract/scope.ts";

/** By what an administrator is narrowed to some of the reports. */
export const dimensions: Dimensions = {
  trade: { label: { zh: "所属行业", en: "Industry" } },
  company: { label: { zh: "单位名称", en: "Organisation" } },
};

/** Of a report. */
export const places: Places = { trade: "trade", company: "company" };
