import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { requiredText } from "#platform/contract/wire.ts";
import * as records from "#services/disease-command/record-contract.ts";

const themeFields = {
  themeName: requiredText(),
  enable: z.enum(["1", "2"]).describe("1 enabled, which disables the others; 2 disabled"),
};

export const theme = records.recordOf(themeFields);

const at = "/theme";

export const themeEndpoints = {
  listThemes: endpoint({
    method: "GET",
    url: `${records.prefix}${at}/list`,
    summary: "All themes, newest first",
    ...records.open,
    answer: { as: "envelope", data: z.array(theme) },
  }),
  saveTheme: records.save(`${at}/save`, records.token, "Add a theme", themeFields, ["alreadyExists"]),
  updateTheme: records.update(`${at}/update`, records.token, "Change a theme", themeFields, ["alreadyExists"]),
  deleteThemes: records.remove(`${at}/delete`, records.token, "Delete themes"),
  findCurrentTheme: endpoint({
    method: "GET",
    url: `${records.prefix}${at}/currentItem`,
    summary: "The enabled theme, or null",
    ...records.open,
    answer: { as: "envelope", data: theme.nullable() },
  }),
};
