import type { Pool } from "#platform/database/index.ts";
import { checkPart, type HealthPart } from "#platform/process/health.ts";
import { nameColumn, type SealedColumn } from "#platform/sealing/column.ts";
import { listDataKeys, noteUniform } from "./key-store.ts";

/**
 * Whether personal data and secrets are sealed, by which key, and in how many columns something may be left that
 * `quintet seal` has to bring to it. Degraded: a key is gone that this process would need, or it does not seal where others do.
 */
export const checkSealing = (pool: Pool, columns: readonly SealedColumn[]): Promise<HealthPart> =>
  checkPart("sealing", { zh: "数据加密", en: "Sealed data" }, async () => {
    const { currentId, ids } = pool.keys;
    const known = await listDataKeys(pool);
    noteUniform(pool, known, columns);
    const present = known.find(({ id }) => id === currentId);
    const unknown = known.filter(({ id }) => !ids.includes(id));
    const incomplete = columns.filter((column) => present?.complete.includes(nameColumn(column)) !== true).length;
    const isLost = unknown.length > 0 || (currentId !== undefined && !present);
    return {
      state: isLost ? "degraded" : "ok",
      figures: {
        sealed: currentId !== undefined,
        keyId: currentId ?? null,
        olderKeys: known.length - (present ? 1 : 0),
        columnsLeft: currentId === undefined ? 0 : incomplete,
      },
    };
  });
