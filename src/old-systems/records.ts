import * as z from "zod";
import type { ServiceContract } from "#platform/contract/endpoint.ts";

const sources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  reporting: { reports: "listReports", administrators: "listAdministrators" },
  attendance: { monthlyRows: "download" },
  "push-relay": { projects: "listProjects" },
  "tuition-payment": {
    payables: "listPayables",
    payLimits: "listPayLimits",
    feedback: "listFeedback",
    administrators: "listAdministrators",
  },
  "disease-command": {
    broadcastStatistics: "findBroadcastStatistics",
    broadcasts: "listBroadcastRecords",
    consumption: "listConsumption",
    detection: "listDetection",
    teams: "listTeams",
    members: "listMembers",
    plans: "listPlans",
    monthSummaries: "listMonthSummaries",
    feverClinics: "listFeverClinics",
    scenicSpots: "listScenicSpots",
    capacities: "listCapacities",
    themes: "listThemes",
    toilets: "listToilets",
    administrators: "listAdministrators",
  },
};

/** The fields of a record that the response of its list operation lacks, by operation. */
const unlisted: Readonly<Record<string, readonly string[]>> = {
  listPayables: ["pay", "idCard"],
  download: ["id", "month"],
};

export interface RecordShape {
  readonly service: string;
  readonly name: string;
  readonly fields: readonly string[];
}

export const listRecords = (contracts: readonly ServiceContract[]): RecordShape[] =>
  contracts.flatMap(({ name: service, endpoints }) =>
    Object.entries(sources[service] ?? {}).map(([record, operation]) => {
      const { answer } = endpoints[operation] ?? {};
      const fields = answer && "data" in answer ? Object.keys(findShape(answer.data)) : [];
      if (fields.length === 0) throw new Error(`the operation ${operation} of ${service} lists no records`);
      // Old frameworks store a salt in a column beside the password.
      const more = [...(fields.includes("password") ? ["salt"] : []), ...(unlisted[operation] ?? [])];
      return { service, name: `${service}.${record}`, fields: [...fields, ...more] };
    }),
  );

export type Shape = Readonly<Record<string, z.ZodType>>;

/** Returns the fields of the records in an answer, which holds one record, an array or a page of them. */
export function findShape(data: z.core.$ZodType | undefined): Shape {
  if (data instanceof z.ZodNullable) return findShape(data.unwrap());
  if (data instanceof z.ZodUnion) return findShape(data.options[0]);
  if (data instanceof z.ZodArray) return findShape(data.element);
  if (!(data instanceof z.ZodObject)) return {};
  const parts = [data, ...Object.values(data.shape)];
  const page = parts.find((part) => part instanceof z.ZodObject && "list" in part.shape);
  return page === undefined ? data.shape : findShape(page.shape["list"]);
}
