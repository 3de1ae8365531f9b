import type { Db } from "#platform/database/index.ts";
import { type AnalysisSettings, standardSettings } from "#services/attendance/model.ts";

/** The settings for analyses to come. */
export async function findSettings(db: Db): Promise<AnalysisSettings> {
  const [row] = await db<AnalysisSettings[]>`select campuses, bucket_edges as "bucketEdges" from attendance.settings`;
  return row ?? standardSettings;
}

/** The same, which nobody else changes until the transaction ends. */
export async function holdSettings(tx: Db): Promise<AnalysisSettings> {
  const { campuses, bucketEdges } = standardSettings;
  await tx`
    insert into attendance.settings (campuses, bucket_edges) values (${JSON.stringify(campuses)}, ${bucketEdges}) on conflict do nothing`;
  await tx`select from attendance.settings for update`;
  return findSettings(tx);
}

/** Changes settings that are held. */
export async function saveSettings(tx: Db, { campuses, bucketEdges }: AnalysisSettings): Promise<void> {
  await tx`update attendance.settings set campuses = ${JSON.stringify(campuses)}, bucket_edges = ${bucketEdges}`;
}
