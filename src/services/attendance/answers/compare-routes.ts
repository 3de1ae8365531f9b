import type { Readable } from "node:stream";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { Call, Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { workbookHeaders } from "#platform/workbooks/index.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { streamComparison } from "./comparison-store.ts";
import { exportComparison } from "./export-comparison.ts";
import { getFinished, getVersion } from "./finished-month.ts";
import { jsonHeaders, streamEnvelope } from "./json-answer.ts";
import { openNoted } from "./noted-rows.ts";
import type { RowSource } from "./result-store.ts";

type Endpoints = Pick<typeof endpoints, "compare">;
type CompareCall = Call<Endpoints["compare"]>;

/** The handler that lays a month beside another, or beside a version of its own. */
export const compareHandlers = ({ pool }: Platform): Handlers<Endpoints> => ({
  compare: async (call) => {
    const { db, query, request } = call;
    const { month, with: other } = query;
    if ((other === undefined) === (query.version === undefined))
      throw explain("badFormat", "with 与 version 应填写其一", "either with or version must be given");
    const { version } = await checkCompared(db, query);
    const headers = query.format === "xlsx" ? workbookHeaders(`attendance-${month}-compared`) : jsonHeaders;
    if (request.method === "HEAD") return { headers };
    const read = { action: "compare", months: other === undefined ? [month] : [month, other], version } as const;
    return { headers, open: () => openNoted(pool, call, read, (snapshot) => openComparison(snapshot, call)) };
  },
});

async function openComparison(snapshot: Db, { query, language }: CompareCall): Promise<Readable> {
  const { month, with: other = "", department, changed: isChanged = false, format } = query;
  const { one, version } = await checkCompared(snapshot, query);
  const against: RowSource = version ? { version: version.id } : { month: other };
  const changed = isChanged ? (version ? "row" : "figures") : undefined;
  const rows = streamComparison(snapshot, { month }, against, { department, changed });
  if (format !== "xlsx") return streamEnvelope(rows, language);
  const names = [month, version ? `第${version.number}版` : other] as const;
  return exportComparison({ names, bucketEdges: one.settings.bucketEdges, rows });
}

/** @throws {Problem} notFound where one of the two is not there to be compared. */
async function checkCompared(db: Db, { month, with: other, version: id }: CompareCall["query"]) {
  const one = await getFinished(db, month);
  if (other !== undefined) await getFinished(db, other);
  const version = id === undefined ? undefined : await getVersion(db, id);
  if (version && version.month !== month) throw new Problem("notFound");
  return { one, version };
}
