import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { requiredText } from "#platform/contract/wire.ts";
import {
  deleteEndpoint,
  open,
  prefix,
  recordOf,
  saveEndpoint,
  token,
  updateEndpoint,
} from "#services/disease-command/record-contract.ts";

const themeFields = {
  themeName: requiredText(),
  enable: z.enum(["1", "2"]).describe("1 enabled, which disables the others; 2 disabled"),
};

export const theme = recordOf(themeFields);

const at = "/theme";

export const themeEndpoints = {
  listThemes: endpoint({
    method: "GET",
    url: `${prefix}${at}/list`,
    summary: "All themes, newest first",
    ...open,
    answer: { as: "envelope", data: z.array(theme) },
  }),
  saveTheme: saveEndpoint(`${at}/save`, token, "Add a theme", themeFields, ["alreadyExists"]),
  updateTheme: updateEndpoint(`${at}/update`, token, "Change a theme", themeFields, ["alreadyExists"]),
  deleteThemes: deleteEndpoint(`${at}/delete`, token, "Delete themes"),
  findCurrentTheme: endpoint({
    method: "GET",
    url: `${prefix}${at}/currentItem`,
    summary: "The enabled theme, or null",
    ...open,
    answer: { as: "envelope", data: theme.nullable() },
  }),
};
