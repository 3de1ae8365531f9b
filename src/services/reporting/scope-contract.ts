import type { Dimensions, Places } from "#platform/contract/scope.ts";

/** Scope dimensions: administrators may be restricted to some reports. */
export const dimensions: Dimensions = {
  trade: { label: { zh: "所属行业", en: "Industry" } },
  company: { label: { zh: "单位名称", en: "Organisation" } },
};

/** Scope columns of a report. */
export const places: Places = { trade: "trade", company: "company" };
