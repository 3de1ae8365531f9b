import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { dateTime, day, freeText, passesOver, requiredText } from "#platform/contract/wire.ts";
import {
  count,
  daySpan,
  deleteEndpoint,
  open,
  pageEndpoint,
  prefix,
  recordOf,
  templateEndpoint,
  token,
  updateEndpoint,
  written,
} from "#services/disease-command/record-contract.ts";

export const feverClinicFields = {
  statisticsDate: day(),
  hospitalName: requiredText(),
  feverClinicCount: count().describe("Fever patients"),
  epidemicCount: count().describe("Patients with an epidemiological history"),
};

export const feverClinic = recordOf(feverClinicFields).extend({ updateTime: dateTime() });

const unread = { updateTime: "text" } as const;
const at = "/feverClinicOfHospitalStatistics";

export const feverClinicEndpoints = {
  listFeverClinics: pageEndpoint(`${at}/list`, open, "List fever-clinic statistics, newest first", {
    record: feverClinic,
    filters: { ...daySpan, hospitalName: freeText().optional() },
  }),
  saveFeverClinics: endpoint({
    method: "POST",
    url: `${prefix}${at}/save`,
    summary: "Save fever-clinic statistics; each takes the place of what its date and hospital had",
    ...token,
    body: z.object({
      datas: z
        .array(passesOver(z.object(feverClinicFields), { id: "id", ...unread }))
        .min(1)
        .max(10_000),
    }),
    answer: written,
    idempotent: true,
  }),
  importFeverClinics: endpoint({
    method: "POST",
    url: `${prefix}${at}/saveByExcel/:dateStr`,
    summary: "Save the fever-clinic statistics of a day out of a workbook, all or none",
    ...token,
    params: z.object({ dateStr: day() }),
    upload: { limit: "workbook" },
    answer: written,
    idempotent: true,
    problems: ["importFailed"],
  }),
  updateFeverClinic: updateEndpoint(
    `${at}/update`,
    token,
    "Change a fever-clinic statistic",
    feverClinicFields,
    ["alreadyExists"],
    unread,
  ),
  deleteFeverClinics: deleteEndpoint(`${at}/delete`, token, "Delete fever-clinic statistics"),
  findLastFeverClinics: endpoint({
    method: "GET",
    url: `${prefix}${at}/lastData`,
    summary: "The statistics of the latest date, most fever patients first",
    ...open,
    answer: { as: "envelope", data: z.array(feverClinic) },
  }),
  feverClinicTemplate: templateEndpoint(`${at}/importTemplate`, "The workbook for a day's fever clinics, to fill in"),
};
