import type { Dimensions, Places } from "#platform/contract/scope.ts";

/** By what an operator is narrowed to some of the projects. */
export const dimensions: Dimensions = { project: { label: { zh: "推送项目", en: "Push project" } } };

/** Of a `project`. */
export const places: Places = { project: "project.name" };
