import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type * as z from "zod";

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
const unlisted: Readonly<Record<string, readonly string[]>> = { listPayables: ["pay"], download: ["id", "month"] };

export interface RecordShape {
  readonly service: string;
  readonly name: string;
  readonly fields: readonly string[];
  readonly url: string;
  readonly page: string | undefined;
  /** The URL of the documented operation that reads one record, without the id. */
  readonly info: string | undefined;
}

export const listRecords = (contracts: readonly ServiceContract[]): RecordShape[] =>
  contracts.flatMap(({ name: service, endpoints }) =>
    Object.entries(sources[service] ?? {}).map(([record, operation]) => {
      const { answer, url = "", query } = endpoints[operation] ?? {};
      const page = ["currPage", "curPage"].find((name) => name in (query?.shape ?? {}));
      const fields = answer && "data" in answer ? listFields(answer.data) : [];
      if (fields.length === 0) throw new Error(`the operation ${operation} of ${service} lists no records`);
      // Old frameworks store a salt in a column beside the password.
      const more = [...(fields.includes("password") ? ["salt"] : []), ...(unlisted[operation] ?? [])];
      const info = findInfo(endpoints, url);
      return { service, name: `${service}.${record}`, fields: [...fields, ...more], url, page, info };
    }),
  );

const findInfo = (endpoints: ServiceContract["endpoints"], listUrl: string): string | undefined =>
  Object.values(endpoints)
    .map(({ url }) => /^(.*\/info\/(?:id\/)?):(?:id|itemId)$/.exec(url)?.[1])
    .find((info) => info?.startsWith(`${listUrl.replace(/\/\w+$/, "")}/info/`));

type Parts = Partial<z.ZodObject> & Partial<z.ZodArray<z.ZodType>> & Partial<z.ZodUnion<readonly z.ZodType[]>>;

function listFields(data: z.ZodType): string[] {
  const { options: [form] = [data] } = data as Parts;
  const { shape } = form as Parts;
  const { element } = (shape?.["list"] ?? form) as Parts;
  return Object.keys((element as Parts | undefined)?.shape ?? {});
}
