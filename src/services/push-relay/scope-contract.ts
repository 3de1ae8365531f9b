import type { Dimensions, Places } from "#platform/contract/scope.ts";

/** Scope dimensions: operators may be restricted to some projects. */
export const dimensions: Dimensions = { project: { label: { zh: "推送项目", en: "Push project" } } };

export const places: Places = { project: "project.name" };
