import * as z from "zod";
import { endpoint } from "#platform/contract/endpoint.ts";
import { dateTime, day, freeText, passesOver, requiredText } from "#platform/contract/wire.ts";
import * as records from "#services/disease-command/record-contract.ts";

export const feverClinicFields = {
  statisticsDate: day(),
  hospitalName: requiredText(),
  feverClinicCount: records.count().describe("Fever patients"),
  epidemicCount: records.count().describe("Patients with an epidemiological history"),
};

export const feverClinic = records.recordOf(feverClinicFields).extend({ updateTime: dateTime() });

const unread = { updateTime: "text" } as const;
const at = "/feverClinicOfHospitalStatistics";

export const feverClinicEndpoints = {
  listFeverClinics: records.page(`${at}/list`, records.open, "List fever-clinic statistics, newest first", {
    record: feverClinic,
    filters: { ...records.daySpan, hospitalName: freeText().optional() },
  }),
  saveFeverClinics: endpoint({
    method: "POST",
    url: `${records.prefix}${at}/save`,
    summary: "Save fever-clinic statistics; each takes the place of what its date and hospital had",
    ...records.token,
    body: z.object({
      datas: z
        .array(passesOver(z.object(feverClinicFields), { id: "id", ...unread }))
        .min(1)
        .max(10_000),
    }),
    answer: records.written,
    idempotent: true,
  }),
  importFeverClinics: endpoint({
    method: "POST",
    url: `${records.prefix}${at}/saveByExcel/:dateStr`,
    summary: "Save the fever-clinic statistics of a day out of a workbook, all or none",
    ...records.token,
    params: z.object({ dateStr: day() }),
    upload: { limit: "workbook" },
    answer: records.written,
    idempotent: true,
    problems: ["importFailed"],
  }),
  updateFeverClinic: records.update(
    `${at}/update`,
    records.token,
    "Change a fever-clinic statistic",
    feverClinicFields,
    ["alreadyExists"],
    unread,
  ),
  deleteFeverClinics: records.remove(`${at}/delete`, records.token, "Delete fever-clinic statistics"),
  findLastFeverClinics: endpoint({
    method: "GET",
    url: `${records.prefix}${at}/lastData`,
    summary: "The statistics of the latest date, most fever patients first",
    ...records.open,
    answer: { as: "envelope", data: z.array(feverClinic) },
  }),
  feverClinicTemplate: records.template(`${at}/importTemplate`, "The workbook for a day's fever clinics, to fill in"),
};
