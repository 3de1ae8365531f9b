import * as z from "zod";
import { dateTime, day, decimal, freeText, ignoresFields, requiredText } from "#platform/contract/wire.ts";
import {
  count,
  daySpan,
  open,
  openScoped,
  own,
  page,
  post,
  read,
  recordOf,
  remove,
  save,
  template,
  token,
  undocumented,
  update,
} from "./record-contract.ts";

const unread = { updateTime: "text" } as const;

export const detectionFields = {
  statisticsDate: day(),
  peopleType: requiredText().describe("Category of the people tested"),
  detectionCount: count(),
  abnormalCount: count(),
};

export const detection = recordOf(detectionFields).extend({ updateTime: dateTime() });

export const detectionEndpoints = {
  listDetection: page("/detectionStatistics/list", open, "List detection statistics, newest first", {
    record: detection,
    filters: { ...daySpan, peopleType: freeText().optional() },
  }),
  saveDetection: save(
    "/detectionStatistics/save",
    token,
    "Add a detection statistic",
    detectionFields,
    ["alreadyExists"],
    unread,
  ),
  importDetection: post("/detectionStatistics/saveByExcel", {
    summary: "Import detection statistics from a workbook, all or nothing",
    ...token,
    upload: { limit: "workbook" },
    idempotent: true,
    problems: ["importFailed"],
  }),
  updateDetection: update(
    "/detectionStatistics/update",
    own,
    "Change a detection statistic",
    detectionFields,
    ["alreadyExists"],
    unread,
  ),
  deleteDetection: remove("/detectionStatistics/delete", own, "Delete detection statistics"),
  detectionTemplate: template(
    "/detectionStatistics/importTemplate",
    "Download the template workbook for detection statistics",
  ),
};

export const feverClinicFields = {
  statisticsDate: day(),
  hospitalName: requiredText(),
  feverClinicCount: count().describe("Fever patients"),
  epidemicCount: count().describe("Patients with an epidemiological history"),
};

export const feverClinic = recordOf(feverClinicFields).extend({ updateTime: dateTime() });

export const feverClinicEndpoints = {
  listFeverClinics: page(
    "/feverClinicOfHospitalStatistics/list",
    openScoped,
    "List fever-clinic statistics, newest first",
    {
      record: feverClinic,
      filters: { ...daySpan, hospitalName: freeText().optional() },
    },
  ),
  saveFeverClinics: post("/feverClinicOfHospitalStatistics/save", {
    summary: "Save fever-clinic statistics, replacing those of the same date and hospital",
    ...token,
    scoped: true,
    body: z.object({
      datas: z
        .array(ignoresFields(z.object(feverClinicFields), { id: "id", ...unread }))
        .min(1)
        .max(10_000),
    }),
    idempotent: true,
  }),
  importFeverClinics: post("/feverClinicOfHospitalStatistics/saveByExcel/:dateStr", {
    summary: "Import a day's fever-clinic statistics from a workbook, all or nothing",
    ...token,
    scoped: true,
    params: z.object({ dateStr: day() }),
    upload: { limit: "workbook" },
    fields: z.object({
      dryRun: z
        .boolean()
        .optional()
        .describe("true: only check the workbook and return its rows. Not in the interface documents"),
    }),
    data: z.union([decimal(), z.array(z.object(feverClinicFields).omit({ statisticsDate: true }))]),
    idempotent: true,
    problems: ["importFailed"],
  }),
  updateFeverClinic: update(
    "/feverClinicOfHospitalStatistics/update",
    { ...token, scoped: true },
    "Change a fever-clinic statistic",
    feverClinicFields,
    ["alreadyExists"],
    unread,
  ),
  deleteFeverClinics: remove(
    "/feverClinicOfHospitalStatistics/delete",
    { ...token, scoped: true },
    "Delete fever-clinic statistics",
  ),
  findLastFeverClinics: read(
    "/feverClinicOfHospitalStatistics/lastData",
    openScoped,
    "List the statistics of the latest date, most fever patients first",
    z.array(feverClinic),
  ),
  feverClinicTemplate: template(
    "/feverClinicOfHospitalStatistics/importTemplate",
    "Download the template workbook for a day's fever-clinic statistics",
    { ...own, scoped: true },
  ),
};

const value = z.number().min(0).describe("In ten thousand yuan");

export const consumptionCategory = recordOf({ categoryName: requiredText(), value });

export const consumptionEndpoints = {
  listConsumption: page("/consumptionCategoryStatistics/list", open, "List the consumption categories", {
    record: consumptionCategory,
    filters: {},
  }),
  updateConsumption: update(
    "/consumptionCategoryStatistics/update",
    undocumented,
    "Change the value of a consumption category; the name cannot be changed",
    { value },
    [],
    { categoryName: "text" },
  ),
};
