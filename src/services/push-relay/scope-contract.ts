import type { Dimensions, Places } from "#platform/contract/scope.ts";

export const dimensions: Dimensions = { project: { label: { zh: "推送项目", en: "Push project" } } };

export const places: Places = { project: "project.name" };
